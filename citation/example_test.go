package citation_test

import (
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

func ExampleMediaFragment() {
	loc, err := citation.ParseMediaFragment("t=10,20", citekit.Extent{Modality: citekit.Video})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(citekit.Address{Resource: "lecture", Location: loc})
	fmt.Println(citation.MediaFragment(loc))
	// Output:
	// video://lecture#t=10-20
	// t=10,20 <nil>
}
