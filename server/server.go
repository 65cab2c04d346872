// Package server serves several workspaces to several callers over the Model
// Context Protocol.
package server
