package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"context-manager/internal/schema"
)

type colour string

func (colour) SchemaEnum() []string      { return []string{"red", "green"} }
func (colour) SchemaDescription() string { return "A colour." }

type size struct {
	Width uint64 `json:"width" jsonschema_description:"In tokens."`
}

type everything struct {
	Name     string          `json:"name" jsonschema_description:"Its name."`
	Alias    *string         `json:"alias,omitempty"`
	Tags     []string        `json:"tags,omitempty" jsonschema_default:"null"`
	Kept     []string        `json:"kept"`
	Extra    json.RawMessage `json:"extra"`
	Open     json.RawMessage `json:"open,omitempty" jsonschema_default:"null" jsonschema_description:"Any."`
	Flag     bool            `json:"flag" jsonschema_default:"false"`
	Time     int64           `json:"time"`
	Turns    *uint           `json:"turns,omitempty" jsonschema:"minimum=1,maximum=9"`
	Tail     *uint           `json:"tail"`
	Cost     *float64        `json:"cost,omitempty"`
	Colour   colour          `json:"colour"`
	Tint     *colour         `json:"tint,omitempty" jsonschema_default:"null"`
	Size     size            `json:"size"`
	Outer    *size           `json:"outer,omitempty"`
	Titled   size            `json:"titled" jsonschema_description:"Beside a reference."`
	ByName   map[string]uint `json:"by_name"`
	Note     string          `json:"note,omitempty"`
	Pick     *string         `json:"pick,omitempty" jsonschema:"enum=x,enum=y"`
	Skipped  string          `json:"-"`
	internal string
}

func TestGenerateFollowsTheRulesOfTheContract(t *testing.T) {
	t.Parallel()
	_ = everything{}.internal
	compare(t, schema.Options{}, reflect.TypeFor[*everything](), `{
 "$schema": "http://json-schema.org/draft-07/schema#",
 "definitions": {
  "colour": {"type": "string", "enum": ["red", "green"], "description": "A colour."},
  "size": {"type": "object", "required": ["width"], "properties": {
   "width": {"type": "integer", "format": "uint64", "minimum": 0, "description": "In tokens."}}}
 },
 "title": "everything",
 "type": "object",
 "required": ["by_name", "colour", "extra", "kept", "name", "size", "time", "titled"],
 "properties": {
  "name": {"type": "string", "description": "Its name."},
  "alias": {"type": ["string", "null"]},
  "tags": {"type": ["array", "null"], "items": {"type": "string"}, "default": null},
  "kept": {"type": "array", "items": {"type": "string"}},
  "extra": {},
  "open": {"description": "Any.", "default": null},
  "flag": {"type": "boolean", "default": false},
  "time": {"type": "integer", "format": "int64"},
  "turns": {"type": ["integer", "null"], "format": "uint", "minimum": 1, "maximum": 9},
  "tail": {"type": ["integer", "null"], "format": "uint", "minimum": 0},
  "cost": {"type": ["number", "null"], "format": "double"},
  "colour": {"$ref": "#/definitions/colour"},
  "tint": {"anyOf": [{"$ref": "#/definitions/colour"}, {"type": "null"}], "default": null},
  "size": {"$ref": "#/definitions/size"},
  "outer": {"anyOf": [{"$ref": "#/definitions/size"}, {"type": "null"}]},
  "titled": {"allOf": [{"$ref": "#/definitions/size"}], "description": "Beside a reference."},
  "by_name": {"type": "object", "additionalProperties": {"type": "integer", "format": "uint", "minimum": 0}},
  "note": {"type": "string"},
  "pick": {"type": ["string", "null"], "enum": ["x", "y", null]}
 }
}`)
}

type (
	raw    struct{ bytes []byte }
	raws   []raw
	inner  interface{ inner() }
	letter struct {
		Text string `json:"text"`
	}
	parcel struct {
		Content []inner `json:"content"`
	}
	delivery struct {
		List  *raws `json:"list,omitempty" jsonschema_description:"What came."`
		First raw   `json:"first"`
		Entry tagged
	}
	tagged struct{ raw raw }
	named  struct {
		Next *named `json:"next,omitempty"`
	}
)

func (letter) SchemaDescription() string { return "Words." }

func shapes() schema.Options {
	union := schema.Union{
		Name: "Post", Description: "Something sent.", Tag: "type", TagDescription: "Which.",
		Variants: []schema.Variant{
			{Value: "letter", Type: reflect.TypeFor[letter]()},
			{Value: "parcel", Type: reflect.TypeFor[parcel]()},
		},
	}
	return schema.Options{Shapes: schema.Shapes{
		reflect.TypeFor[raws]():   schema.List{Items: reflect.TypeFor[raw]()},
		reflect.TypeFor[raw]():    union,
		reflect.TypeFor[inner]():  union,
		reflect.TypeFor[tagged](): schema.As{Name: "Label", Type: reflect.TypeFor[size]()},
	}}
}

const post = `{"description": "Something sent.", "oneOf": [
 {"type": "object", "description": "Words.", "required": ["text", "type"], "properties": {
  "type": {"type": "string", "enum": ["letter"], "description": "Which."}, "text": {"type": "string"}}},
 {"type": "object", "required": ["content", "type"], "properties": {
  "type": {"type": "string", "enum": ["parcel"], "description": "Which."},
  "content": {"type": "array", "items": {"$ref": "#/definitions/Post"}}}}
]}`

func TestGenerateFollowsShapesThroughRecursion(t *testing.T) {
	t.Parallel()
	_, _ = raw{}.bytes, tagged{}.raw
	compare(t, shapes(), reflect.TypeFor[delivery](), `{
 "$schema": "http://json-schema.org/draft-07/schema#", "title": "delivery", "type": "object", "required": ["Entry", "first"],
 "properties": {
  "list": {"type": ["array", "null"], "items": {"$ref": "#/definitions/Post"}, "description": "What came."},
  "first": {"$ref": "#/definitions/Post"},
  "Entry": {"$ref": "#/definitions/Label"}
 },
 "definitions": {
  "Post": `+post+`,
  "Label": {"type": "object", "required": ["width"], "properties": {
   "width": {"type": "integer", "format": "uint64", "minimum": 0, "description": "In tokens."}}}
 }
}`)
}

func TestGenerateTakesAUnionAsRoot(t *testing.T) {
	t.Parallel()
	compare(t, shapes(), reflect.TypeFor[raw](), `{
 "$schema": "http://json-schema.org/draft-07/schema#", "title": "Post", "definitions": {"Post": `+post+`},`+post[1:])
}

func TestGenerateRefersAStructToItself(t *testing.T) {
	t.Parallel()
	body := `"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/definitions/named"}, {"type": "null"}]}}`
	compare(t, schema.Options{}, reflect.TypeFor[named](), `{
 "$schema": "http://json-schema.org/draft-07/schema#", "title": "named", "definitions": {"named": {`+body+`}}, `+body+`}`)
}

func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	first, err := schema.Of[delivery](shapes())
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		again, err := schema.Of[delivery](shapes())
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(first) {
			t.Fatalf("got %s, want %s", again, first)
		}
	}
}

type list []string

func TestGenerateRefusesWhatItCannotPublish(t *testing.T) {
	t.Parallel()
	type anonymous struct {
		A struct{ B string } `json:"a"`
	}
	type embedded struct{ size }
	type Embedded struct{ Exported }
	type channel struct {
		C chan int `json:"c"`
	}
	type function struct {
		F func() `json:"f"`
	}
	type unshaped struct {
		I inner `json:"i"`
	}
	type twice struct {
		P **string `json:"p"`
	}
	type slices struct {
		L list `json:"l"`
	}
	type keys struct {
		M map[int]string `json:"m"`
	}
	type broken struct {
		D string `json:"d" jsonschema_default:"{"`
	}
	type colour struct {
		A size `json:"a"`
	}
	type collision struct {
		A colour                 `json:"a"`
		B map[string]outerColour `json:"b"`
	}
	for _, tc := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"no type", nil, "no type given"},
		{"a plain string", reflect.TypeFor[string](), "is no struct"},
		{"an anonymous struct", reflect.TypeFor[anonymous](), "without a name"},
		{"an embedded struct", reflect.TypeFor[Embedded](), "is embedded"},
		{"a channel", reflect.TypeFor[channel](), "has no JSON form"},
		{"a function", reflect.TypeFor[function](), "has no JSON form"},
		{"an interface without a shape", reflect.TypeFor[unshaped](), "needs a shape"},
		{"a pointer to a pointer", reflect.TypeFor[twice](), "pointer to a pointer"},
		{"a named slice without a shape", reflect.TypeFor[slices](), "needs a shape"},
		{"a map with integer keys", reflect.TypeFor[keys](), "no strings"},
		{"a default that is no JSON", reflect.TypeFor[broken](), "reading its default"},
		{"two types of one name", reflect.TypeFor[collision](), "both called colour"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Generate(tc.typ, schema.Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %s, %v, want an error with %q", got, err, tc.want)
			}
		})
	}
	if _, err := schema.Of[embedded](schema.Options{}); err != nil {
		t.Errorf("got %v for a struct that embeds an unexported one, want it ignored", err)
	}
}

// Exported is embedded in a test.
type Exported struct{ A string }

type outerColour = colour

func compare(t *testing.T, o schema.Options, typ reflect.Type, want string) {
	t.Helper()
	text, err := schema.Generate(typ, o)
	if err != nil {
		t.Fatal(err)
	}
	var got, expected any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatalf("the test's own schema: %v", err)
	}
	if d := cmp.Diff(got, expected); d != "" {
		t.Errorf("- got + want:\n%s", d)
	}
}
