package agent

// Block keys, in the order the bits of a keyset are used.
const (
	bkArguments = iota
	bkContent
	bkData
	bkFunctionCallID
	bkFunctionID
	bkID
	bkIsError
	bkMime
	bkSignature
	bkText
	bkType
	bkCount
)

func blockKey(key str) int {
	switch string(key.bytes()) {
	case "arguments":
		return bkArguments
	case "content":
		return bkContent
	case "data":
		return bkData
	case "function_call_id":
		return bkFunctionCallID
	case "function_id":
		return bkFunctionID
	case "id":
		return bkID
	case "is_error":
		return bkIsError
	case "mime":
		return bkMime
	case "signature":
		return bkSignature
	case "text":
		return bkText
	case "type":
		return bkType
	}
	return -1
}

var blockKeyNames = [bkCount]string{
	"arguments", "content", "data", "function_call_id", "function_id", "id",
	"is_error", "mime", "signature", "text", "type",
}

// blockRule says what shape a member must have and whether it must be there.
// A member that its type has no rule for is kept as it is.
type blockRule struct {
	id       int
	required bool
	shape    shape
}

// rulesOfBlock lists each type's members in the order of its canonical form,
// which also is the order of checks.
var rulesOfBlock = [...][]blockRule{
	BlockText:         {{bkText, true, wantString}},
	BlockImage:        {{bkMime, true, wantString}, {bkData, true, wantString}},
	BlockThinking:     {{bkText, true, wantString}, {bkSignature, false, wantStringNull}},
	BlockFunctionCall: {{bkID, true, wantString}, {bkFunctionID, true, wantString}},
	BlockFunctionResult: {{bkFunctionCallID, true, wantString}, {bkContent, true, wantBlocks},
		{bkIsError, false, wantBoolNull}},
}

func blockTypeOf(name []byte) BlockType {
	switch string(name) {
	case "text":
		return BlockText
	case "image":
		return BlockImage
	case "thinking":
		return BlockThinking
	case "function_call":
		return BlockFunctionCall
	case "function_result":
		return BlockFunctionResult
	}
	return BlockUnknown
}
