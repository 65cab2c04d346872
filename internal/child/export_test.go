package child

// ForgetVersions forgets the versions that this process knows, as another process does.
func ForgetVersions() { versions.known.Clear() }
