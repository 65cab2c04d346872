package api

import "time"

// A Document is a resource: a file that has a map.
type Document struct {
	ID    string `json:"id" doc:"The id of the resource."`
	Title string `json:"title,omitempty"`
	Type  string `json:"type" doc:"document, video, audio, image, text, or the name of another modality."`

	*DocumentState
}

// A DocumentState says what became of the file of a document.
type DocumentState struct {
	Path   string `json:"path,omitempty" doc:"Of the file, below the base directory; of one elsewhere its name alone."`
	Format string `json:"format,omitempty" doc:"The extension of the file, such as pdf."`
	Size   int64  `json:"size,omitempty" doc:"Bytes of the file when it was mapped."`
	State  string `json:"state,omitempty" enum:"current,changed,missing,unreadable" doc:"Of the file, against the map."`
	Mapped string `json:"mapped,omitempty" doc:"When it was mapped."`
	Nodes  int    `json:"nodes,omitempty" doc:"Of the map."`
	Pages  int    `json:"pages,omitempty" doc:"Of a document, if its map says how many, or slides."`
}

// Filters restrict what may be found. Each that is given must match; of a list one value.
type Filters struct {
	Sources []string   `json:"sources,omitempty" maxItems:"1000" doc:"Ids, paths or names of files, or patterns such as *.pdf."`
	Types   []string   `json:"types,omitempty" maxItems:"1000" doc:"Modalities (document, video, audio, image, text) and formats, by extension, such as pdf."`
	Authors []string   `json:"authors,omitempty" maxItems:"1000"`
	Labels  []string   `json:"labels,omitempty" maxItems:"1000" doc:"Keywords of the source."`
	After   *time.Time `json:"after,omitempty" doc:"Made then or later."`
	Before  *time.Time `json:"before,omitempty" doc:"Made then or earlier."`
}

// SearchRequest is the body of POST /v1/search.
type SearchRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty" doc:"One of those that the key is for; the first if it is not given."`
	Q           string `json:"q" minLength:"1" maxLength:"102400" doc:"A question or words. Expressions have \"exact words\", head*, -excluded and title:word."`
	Mode        string `json:"mode,omitempty" enum:"auto,knowledge,graph,hybrid" default:"auto" doc:"knowledge: words; graph: what the hits link to; hybrid: both."`

	Filters Filters `json:"filters,omitempty"`
	TopK    int     `json:"topK,omitempty" minimum:"1" maximum:"50" default:"20"`

	Include SearchInclude `json:"include,omitempty"`
	Quality Quality       `json:"quality,omitempty"`
}

// SearchInclude says what results have.
type SearchInclude struct {
	Document   *bool `json:"document,omitempty" default:"true" doc:"The document of each result."`
	Rationale  *bool `json:"rationale,omitempty" default:"false" doc:"Why each result was found."`
	Highlights *bool `json:"highlights,omitempty" default:"true" doc:"The words of the query in each text."`
}

// Quality says how carefully results are ranked.
type Quality struct {
	Rerank *bool `json:"rerank,omitempty" default:"true" doc:"Let a reranker order the best results, if the server has one."`
}

// A Result is a chunk or a document that was found.
type Result struct {
	ID          string    `json:"id" doc:"Of a chunk it stays while its text does."`
	Kind        string    `json:"kind" enum:"chunk,document"`
	DocumentID  string    `json:"documentId"`
	Document    *Document `json:"document,omitempty"`
	Address     string    `json:"address" doc:"The place to cite, such as doc://book#pages=12."`
	Link        string    `json:"link,omitempty" doc:"The page that shows it, if the server has pages."`
	Title       string    `json:"title,omitempty" doc:"Of the section that the text is in."`
	Path        []string  `json:"path,omitempty" doc:"The titles above it."`
	Text        string    `json:"text" doc:"The part of the source that matches best. Marks of omission (…) stand at its ends alone."`
	Transcribed bool      `json:"transcribed,omitempty" doc:"The text is what a machine heard in a recording."`
	Highlights  [][2]int  `json:"highlights,omitzero" doc:"Words of the query in the text: code points, the end excluded."`
	Score       float64   `json:"score" doc:"Comparable within one answer."`
	Rationale   []Reason  `json:"rationale,omitzero" doc:"There if asked for."`
	OCR         bool      `json:"ocr,omitempty" doc:"The text was recognised in a picture."`
	Copies      []string  `json:"copies,omitempty" doc:"Addresses of places with the same text."`
}

// A Reason is one reason why a result was found: a word, or a relation.
type Reason struct {
	Term     string   `json:"term,omitempty"`
	Fields   []string `json:"fields,omitempty" doc:"Where the word is: title, text; vector for a meaning that is near."`
	Relation string   `json:"relation,omitempty" doc:"The kind of the relation, such as hyperlink."`
	From     string   `json:"from,omitempty" doc:"The address that states the relation."`
	To       string   `json:"to,omitempty" doc:"The address that it leads to."`
	Score    float64  `json:"score"`
}

// Results is the answer to a search.
type Results struct {
	Results  []Result `json:"results"`
	Total    int      `json:"total" doc:"How many match; at least, if totalIsMinimum."`
	Minimum  bool     `json:"totalIsMinimum,omitempty"`
	LeftOut  int      `json:"leftOut,omitempty" doc:"Documents that changed since they were mapped, or cannot be read."`
	Complete bool     `json:"complete" doc:"False if the time ended first."`
	Hint     string   `json:"hint,omitempty"`
	Meta     Meta     `json:"meta"`
}

// SimilarRequest is the body of POST /v1/similar.
type SimilarRequest struct {
	WorkspaceID string  `json:"workspaceId,omitempty"`
	Subject     Subject `json:"subject"`
	By          string  `json:"by,omitempty" enum:"chunks,documents" default:"chunks"`
	Filters     Filters `json:"filters,omitempty"`
	TopK        int     `json:"topK,omitempty" minimum:"1" maximum:"50" default:"10"`
}

// A Subject is what the results should be like.
type Subject struct {
	Kind string `json:"kind" enum:"text,chunk,document"`
	Text string `json:"text,omitempty" maxLength:"65536" doc:"Of the kind text."`
	ID   string `json:"id,omitempty" doc:"Of a chunk or a document."`
}

// ContentsRequest is the body of POST /v1/contents.
type ContentsRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	IDs         []ID   `json:"ids" minItems:"1" maxItems:"100"`
	Expand      Expand `json:"expand,omitempty"`
	IncludeRaw  bool   `json:"includeRaw,omitempty" default:"false" doc:"Where the bytes of each are, and their media type."`
	MaxTokens   int    `json:"maxTokens,omitempty" minimum:"100" maximum:"1000000" default:"100000" doc:"Of all texts together; what does not fit is cut, and complete is false."`
}

// An ID names a document or a chunk.
type ID struct {
	Kind string `json:"kind" enum:"document,chunk"`
	ID   string `json:"id" minLength:"1"`
}

// Expand says what to read in addition.
type Expand struct {
	Chunks *bool  `json:"chunks,omitempty" default:"false" doc:"The chunks of each document."`
	Graph  *Graph `json:"graph,omitempty" doc:"What is related to each by links, or by relations that its map states."`
}

// Graph says how far relations are followed.
type Graph struct {
	Hops    *int     `json:"hops,omitempty" minimum:"0" maximum:"2" default:"1"`
	Include []string `json:"include,omitempty" enum:"relationships,entities,evidence" doc:"All if it is not given."`
}

// Contents is the answer to POST /v1/contents.
type Contents struct {
	Contents      []Content      `json:"contents"`
	Relationships []Relationship `json:"relationships,omitzero" doc:"There if asked for, as entities and evidence are."`
	Entities      []Entity       `json:"entities,omitzero"`
	Evidence      []Proof        `json:"evidence,omitzero"`
	Complete      bool           `json:"complete"`
	Meta          Meta           `json:"meta"`
}

// A Content is the text of a document or a chunk.
type Content struct {
	ID          string    `json:"id"`
	Kind        string    `json:"kind" enum:"document,chunk"`
	DocumentID  string    `json:"documentId,omitempty"`
	Document    *Document `json:"document,omitempty"`
	Address     string    `json:"address,omitempty"`
	Text        string    `json:"text"`
	Transcribed bool      `json:"transcribed,omitempty" doc:"The text is what a machine heard in a recording."`
	Chunks      []Chunk   `json:"chunks,omitzero" doc:"Of a document, if asked for."`
	Raw         *Raw      `json:"raw,omitempty"`
	Note        string    `json:"note,omitempty" doc:"Why there is no text, or not all of it."`
	Error       *Failure  `json:"error,omitempty" doc:"Why it cannot be read."`
}

// A Chunk is a passage of a document.
type Chunk struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	Text    string `json:"text"`
}

// Raw tells where the bytes of a part are.
type Raw struct {
	Path      string `json:"path" doc:"Below this server, such as /v1/evidence/doc:%2F%2Fbook%23pages=3."`
	MediaType string `json:"mediaType,omitempty"`
}

// A Failure says why one of several parts failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A Relationship leads from one place to another.
type Relationship struct {
	Kind     string   `json:"kind" doc:"hyperlink, image, import, include, citation, reference, or a word of the tool that states it."`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Hops     int      `json:"hops"`
	Text     string   `json:"text,omitempty" doc:"The visible text of the link, or a statement."`
	Origin   string   `json:"origin,omitempty" enum:"source,adapter,model"`
	Evidence []string `json:"evidence,omitempty" doc:"Addresses that prove it."`
}

// An Entity is a place that a relationship leads to or comes from.
type Entity struct {
	Address    string `json:"address"`
	DocumentID string `json:"documentId"`
	NodeID     string `json:"nodeId,omitempty"`
	Title      string `json:"title,omitempty"`
}

// A Proof is the text of a place that proves a relationship.
type Proof struct {
	Address string `json:"address"`
	Text    string `json:"text"`
}

// AnswerRequest is the body of POST /v1/answer.
type AnswerRequest struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
	Question    string `json:"question" minLength:"1" maxLength:"102400"`
	Mode        string `json:"mode,omitempty" enum:"auto,knowledge,graph,hybrid" default:"hybrid"`
	AnswerType  string `json:"answerType,omitempty" enum:"extractive,abstractive" default:"abstractive" doc:"extractive: sentences of the sources; abstractive: written by the model of the server, if it has one."`
	Citations   *bool  `json:"citations,omitempty" default:"true"`
	MaxTokens   int    `json:"maxTokens,omitempty" minimum:"16" maximum:"4096" default:"400"`
	Model       string `json:"model,omitempty" doc:"The model to use, if the server has it."`

	Constraints Constraints   `json:"constraints,omitempty"`
	Stream      bool          `json:"stream,omitempty" default:"false" doc:"Answer by the events meta, token, citation and final."`
	Include     AnswerInclude `json:"include,omitempty"`
}

// Constraints restrict which sources may answer.
type Constraints struct {
	After  *time.Time `json:"after,omitempty"`
	Before *time.Time `json:"before,omitempty"`
}

// AnswerInclude says what an answer has.
type AnswerInclude struct {
	Rationale *bool `json:"rationale,omitempty" default:"true" doc:"Which words of the question led to each sentence."`
}

// Answer is the answer to a question.
type Answer struct {
	Answer     string     `json:"answer" doc:"Empty if the sources do not answer."`
	Found      bool       `json:"found"`
	AnswerType string     `json:"answerType" enum:"extractive,abstractive"`
	Model      string     `json:"model,omitempty"`
	Citations  []Citation `json:"citations"`
	Complete   bool       `json:"complete"`
	Note       string     `json:"note,omitempty" doc:"What is not as asked for, such as that there is no model."`
	Meta       Meta       `json:"meta"`
}

// A Citation is a sentence of an answer with its place.
type Citation struct {
	Address     string   `json:"address,omitempty"`
	Link        string   `json:"link,omitempty" doc:"The page that shows the words in their place, if the server has pages."`
	Text        string   `json:"text" doc:"The words of the source, letter for letter."`
	DocumentID  string   `json:"documentId,omitempty"`
	Sentence    string   `json:"sentence,omitempty" doc:"The sentence of the answer, if a model wrote it."`
	Verdict     string   `json:"verdict" doc:"exact or repaired if the words stand there."`
	Transcribed bool     `json:"transcribed,omitempty" doc:"The words are what a machine heard in a recording."`
	Score       float64  `json:"score"`
	Rationale   []string `json:"rationale,omitzero" doc:"There unless it is not asked for."`
}
