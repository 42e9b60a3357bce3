// Package picture reads how large a picture is, in pixels, from the first
// bytes of its base64 text. It knows PNG, JPEG, GIF and WebP, decodes only the
// bytes it looks at, and allocates nothing.
package picture
