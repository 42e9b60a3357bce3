package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"context-manager/internal/tokens/picture"
)

// encoded returns a picture of that size as the standard library writes it.
func encoded(t testing.TB, format string, width, height int) []byte {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp returns the first 30 bytes of a WebP file whose first chunk is given.
func webp(kind string, chunk ...byte) []byte {
	b := append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind+"\x0a\x00\x00\x00"), chunk...)
	return append(b, make([]byte, max(0, 30-len(b)))...)
}

// withSegments puts segments of those lengths in front of a JPEG's own.
func withSegments(file []byte, lengths ...int) []byte {
	b := []byte{0xff, 0xd8}
	for _, n := range lengths {
		b = append(b, 0xff, 0xe2)
		b = binary.BigEndian.AppendUint16(b, uint16(n))
		b = append(b, bytes.Repeat([]byte{0xff}, n-2)...)
	}
	return append(b, file[2:]...)
}

func TestSizeIsReadFromTheHeader(t *testing.T) {
	t.Parallel()
	small := encoded(t, "jpeg", 33, 17)
	frame := func(marker byte) []byte {
		return []byte{0xff, 0xd8, 0xff, marker, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 1, 1, 0x11, 0}
	}
	tests := []struct {
		name          string
		file          []byte
		width, height int
	}{
		{"a PNG file", encoded(t, "png", 640, 479), 640, 479},
		{"a PNG header alone", encoded(t, "png", 70000, 1)[:24], 70000, 1},
		{"a GIF file", encoded(t, "gif", 1023, 2), 1023, 2},
		{"an older GIF", append([]byte("GIF87a\x05\x01\x09\x00"), 0, 0, 0), 0x105, 9},
		{"a JPEG file", small, 33, 17},
		{"a JPEG with a long profile before the frame", withSegments(small, 65535, 65535, 20000, 2), 33, 17},
		{"a JPEG with fill bytes", append([]byte{0xff, 0xd8, 0xff, 0xff}, small[2:]...), 33, 17},
		{"a JPEG with a marker without length", append([]byte{0xff, 0xd8, 0xff, 0x01}, small[2:]...), 33, 17},
		{"a JPEG with stray bytes between segments", append([]byte{0xff, 0xd8, 0x00, 0xff, 0x00, 0x41}, small[2:]...), 33, 17},
		{"a progressive JPEG", frame(0xc2), 0x304, 0x102},
		{"an arithmetic JPEG", frame(0xcf), 0x304, 0x102},
		{"a lossy WebP", webp("VP8 ", 0x30, 0x01, 0x00, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x41), 640, 480},
		{"a lossless WebP", webp("VP8L", 0x2f, 0x7f, 0xc2, 0x77, 0x00), 640, 480},
		{"an extended WebP", webp("VP8X", 0x10, 0, 0, 0, 0x7f, 0x02, 0x00, 0xdf, 0x01, 0x00), 640, 480},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			std := base64.StdEncoding.EncodeToString(tt.file)
			for spelling, text := range map[string]string{
				"standard":         std,
				"without padding":  strings.TrimRight(std, "="),
				"URL alphabet":     base64.URLEncoding.EncodeToString(tt.file),
				"data URL":         "data:image/png;base64," + std,
				"with white space": " " + std + "\n",
			} {
				width, height, ok := picture.Size([]byte(text))
				if !ok || width != tt.width || height != tt.height {
					t.Errorf("%s: got %d × %d, %v, want %d × %d", spelling, width, height, ok, tt.width, tt.height)
				}
			}
		})
	}
}

func TestWhatIsNoPictureHasNoSize(t *testing.T) {
	t.Parallel()
	photo := encoded(t, "jpeg", 33, 17)
	tests := []struct {
		name string
		file []byte
	}{
		{"nothing", nil},
		{"text", []byte("This is a text and no picture at all.")},
		{"zeros", make([]byte, 64)},
		{"a PNG of no width", append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), 0, 0, 0, 0, 0, 0, 0, 9, 8, 0)},
		{"a PNG whose first chunk is another", append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x04CgBI"), make([]byte, 32)...)},
		{"a PNG that ends early", encoded(t, "png", 9, 9)[:23]},
		{"a GIF of no height", []byte("GIF89a\x05\x00\x00\x00\x00\x00\x00")},
		{"a JPEG without a frame", []byte{0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"a JPEG that ends before its frame", photo[:20]},
		{"a JPEG with a broken length", append([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 1}, photo[2:]...)},
		{"a JPEG with too many segments", withSegments(photo, repeat(2, 5000)...)},
		{"a JPEG whose table looks like a frame", []byte{0xff, 0xd8, 0xff, 0xc4, 0, 11, 8, 1, 2, 3, 4, 1, 1, 0x11, 0, 0, 0}},
		{"a WebP without a key frame", webp("VP8 ", 0x31, 0x01, 0x00, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01)},
		{"a WebP with a wrong start code", webp("VP8 ", 0x30, 0x01, 0x00, 0x9d, 0x01, 0x2b, 0x80, 0x02, 0xe0, 0x01)},
		{"a WebP with a wrong signature", webp("VP8L", 0x2e, 0x7f, 0xc2, 0x77, 0x00)},
		{"a WebP with an unknown chunk", webp("ALPH", 1, 2, 3)},
		{"a sound in the same container", append([]byte("RIFF\x00\x00\x00\x00WAVEfmt "), make([]byte, 32)...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := base64.StdEncoding.EncodeToString(tt.file)
			if width, height, ok := picture.Size([]byte(text)); ok {
				t.Errorf("got %d × %d, want no size", width, height)
			}
		})
	}
}

func repeat(n, times int) []int {
	list := make([]int, times)
	for i := range list {
		list[i] = n
	}
	return list
}

func TestWhatIsNoBase64HasNoSize(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString(encoded(t, "png", 9, 9))
	for name, text := range map[string]string{
		"a bad digit":       good[:10] + "!" + good[11:],
		"a broken line":     good[:10] + "\n" + good[10:],
		"not ASCII":         "é" + good,
		"an empty data URL": "data:image/png;base64,",
	} {
		if width, height, ok := picture.Size([]byte(text)); ok {
			t.Errorf("%s: got %d × %d, want no size", name, width, height)
		}
	}
}

func TestSizeAllocatesNothing(t *testing.T) {
	text := []byte(base64.StdEncoding.EncodeToString(withSegments(encoded(t, "jpeg", 33, 17), 65535, 65535)))
	if got := testing.AllocsPerRun(100, func() { picture.Size(text) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

// What the standard library can read has the size it says.
func FuzzSize(f *testing.F) {
	f.Add(encoded(f, "png", 3, 4))
	f.Add(encoded(f, "gif", 3, 4))
	f.Add(withSegments(encoded(f, "jpeg", 3, 4), 300))
	f.Add(webp("VP8X", 0x10, 0, 0, 0, 0x7f, 0x02, 0x00, 0xdf, 0x01, 0x00))
	f.Add(webp("VP8L", 0x2f, 0x7f, 0xc2, 0x77, 0x00))
	f.Add(webp("VP8 ", 0x30, 0x01, 0x00, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x41))
	f.Add([]byte("data:;base64,"))
	f.Fuzz(func(t *testing.T, file []byte) {
		picture.Size(file) // not base64 at all: only must not panic
		width, height, ok := picture.Size([]byte(base64.RawStdEncoding.EncodeToString(file)))
		if ok != (width > 0 && height > 0) {
			t.Errorf("got %d × %d, %v", width, height, ok)
		}
		config, format, err := image.DecodeConfig(bytes.NewReader(file))
		if err == nil && config.Width > 0 && config.Height > 0 && (width != config.Width || height != config.Height) {
			t.Errorf("%s: got %d × %d, want %d × %d", format, width, height, config.Width, config.Height)
		}
	})
}
