package schema_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/citekit/citekit/internal/command/internal/schema"
)

// The schema tells another program what a map may hold.
func ExampleResourceMap() {
	text, err := schema.ResourceMap()
	if err != nil {
		log.Fatal(err)
	}
	var s struct {
		ID string `json:"$id"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.ID == schema.ID)
	// Output: true
}
