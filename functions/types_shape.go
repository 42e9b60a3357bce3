package functions

import (
	"reflect"

	"context-manager/internal/agent"
	"context-manager/internal/schema"
)

// SchemaOptions are the options every schema of this package is generated with:
// they tell how the types look that keep their bytes or choose their own form.
func SchemaOptions() schema.Options {
	message, block := messageShape(), blockShape()
	return schema.Options{Shapes: schema.Shapes{
		reflect.TypeFor[agent.Messages]():       schema.List{Items: reflect.TypeFor[agent.Message]()},
		reflect.TypeFor[agent.Message]():        message,
		reflect.TypeFor[agent.MessageVariant](): message,
		reflect.TypeFor[agent.Block]():          block,
		reflect.TypeFor[agent.BlockVariant]():   block,
		reflect.TypeFor[agent.Function](): schema.As{
			Name: "AgentFunction", Type: reflect.TypeFor[agent.FunctionEntry](),
		},
		reflect.TypeFor[CompactResponse](): compactShape(),
		// The published name, which also tells the answer from the resolver's own.
		reflect.TypeFor[ModelResolved](): schema.As{
			Name: "ModelResolvedWire", Type: reflect.TypeFor[ModelResolved](),
		},
	}}
}

func messageShape() schema.Union {
	return schema.Union{
		Name:           "AgentMessage",
		Description:    "One entry of a conversation, told apart by role.",
		Tag:            "role",
		TagDescription: "Who the message is from.",
		Variants: []schema.Variant{
			{Value: "user", Type: reflect.TypeFor[agent.UserMessage]()},
			{Value: "assistant", Type: reflect.TypeFor[agent.AssistantMessage]()},
			{Value: "function_result", Type: reflect.TypeFor[agent.FunctionResultMessage]()},
			{Value: "custom", Type: reflect.TypeFor[agent.CustomMessage]()},
		},
	}
}

func blockShape() schema.Union {
	return schema.Union{
		Name:           "ContentBlock",
		Description:    "A piece of a message's content, told apart by type.",
		Tag:            "type",
		TagDescription: "What kind of content this is.",
		Variants: []schema.Variant{
			{Value: "text", Type: reflect.TypeFor[agent.TextBlock]()},
			{Value: "image", Type: reflect.TypeFor[agent.ImageBlock]()},
			{Value: "thinking", Type: reflect.TypeFor[agent.ThinkingBlock]()},
			{Value: "function_call", Type: reflect.TypeFor[agent.FunctionCallBlock]()},
			{Value: "function_result", Type: reflect.TypeFor[agent.FunctionResultBlock]()},
		},
	}
}

func compactShape() schema.Union {
	return schema.Union{
		Name:           "CompactResponse",
		Description:    "How a compaction ended, told apart by status.",
		Tag:            "status",
		TagDescription: "How the compaction ended.",
		Variants: []schema.Variant{
			{Value: string(StatusOK), Type: reflect.TypeFor[CompactOK]()},
			{Value: string(StatusBusy), Type: reflect.TypeFor[CompactBusy]()},
			{Value: string(StatusEmpty), Type: reflect.TypeFor[CompactEmpty]()},
			{Value: string(StatusOverflow), Type: reflect.TypeFor[CompactOverflow]()},
		},
	}
}
