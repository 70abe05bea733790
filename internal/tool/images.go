package tool

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
)

// MaxImage bounds an image in a result, in bytes.
const MaxImage = 20 << 20

// LookAt returns the image for the agent's model if that accepts images (Host.AcceptsImages). Otherwise it asks
// Host.Model or Host.Fallback and returns the answer.
func (h *Host) LookAt(ctx context.Context, question string, image Image) (analysis *string, images []Image, err error) {
	if h.AcceptsImages {
		return nil, []Image{image}, nil
	}
	answer := ""
	switch {
	case h.Model != nil:
		answer, err = h.Model.Ask(ctx, question, &image)
	case h.Fallback != nil:
		answer, err = h.Fallback.Ask(ctx, question, &image)
	default:
		err = api.Errorf(api.Unsupported, "this client cannot ask its model about images (no sampling), and no vision_model is configured").
			WithHint("Run usher mcp without --images ask, or set vision_model in the configuration, with a url and a model.")
	}
	return &answer, nil, err
}

// ImageFailure returns the failed result for an image that no model could be asked about. The image file stays at path.
func ImageFailure(err error, path string) (*Result, *FailureData) {
	res := Failure(err)
	res.Page, res.Text = res.Text, "the image is kept: "+path
	return res, res.Value.(*FailureData)
}
