package files

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// ImageTools returns the tool of the toolset vision, which answers a question about an image file.
func ImageTools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{{Name: "vision_analyze", Title: "Look at an image",
		Doc:    "Look at an image file and answer a question about it.",
		Params: []tool.Param{{Name: "image_path", Kind: tool.String, Required: true}, {Name: "question", Kind: tool.String, Required: true}},
		Output: reflect.TypeFor[lookResult](),
		Traits: tool.ReadOnly | tool.UsesRoots, Unavailable: noRoots, Run: visionAnalyze}})
}

func visionAnalyze(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	raw, err := readBytes(ctx, h, a.Str("image_path"), tool.MaxImage)
	if err != nil {
		return nil, err
	}
	image := tool.Image{MIMEType: http.DetectContentType(raw), Bytes: raw}
	if !strings.HasPrefix(image.MIMEType, "image/") {
		return nil, api.Errorf(api.InvalidArgument, "%s is not an image but %s", a.Str("image_path"), image.MIMEType)
	}
	path := a.Str("image_path")
	analysis, images, err := h.LookAt(ctx, a.Str("question"), image)
	if err != nil {
		res, told := tool.ImageFailure(err, path)
		told.Image = path
		return res, nil
	}
	return &tool.Result{Value: lookResult{tool.Succeeded, analysis, path}, Images: images}, nil
}

// lookResult is the result of vision_analyze.
type lookResult struct {
	tool.Success
	Analysis *string `json:"analysis,omitzero"` // absent if the result contains the image itself
	Image    string  `json:"image_path"`
}
