package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/wire"
)

// videoScript encodes a picture as recordings are encoded. It returns what is missing, or an empty text.
const videoScript = `(async () => {
	if (!("VideoEncoder" in self)) return "it has no VideoEncoder";
	const config = {codec: "vp8", width: 320, height: 180, bitrate: 1e6};
	if (!(await VideoEncoder.isConfigSupported(config)).supported) return "its VideoEncoder has no VP8";
	let chunks = 0, failure = "";
	const encoder = new VideoEncoder({output: () => chunks++, error: e => failure = String(e)});
	encoder.configure(config);
	const canvas = new OffscreenCanvas(320, 180);
	canvas.getContext("2d").fillRect(0, 0, 9, 9);
	const frame = new VideoFrame(canvas, {timestamp: 0});
	encoder.encode(frame);
	frame.close();
	await encoder.flush();
	return failure || (chunks ? "" : "its VideoEncoder returned nothing");
})()`

// gpuScript draws red with WebGPU, into a texture that it reads back and into a canvas in the corner of the page. The
// latter ends the GPU process of a headless Chromium 156 without a GPU.
const gpuScript = `(async () => {
	const adapter = await navigator.gpu?.requestAdapter();
	if (!adapter) return {failure: navigator.gpu ? "there is no WebGPU adapter" : "pages have no navigator.gpu"};
	const device = await adapter.requestDevice();
	const fill = texture => {
		const commands = device.createCommandEncoder();
		commands.beginRenderPass({colorAttachments: [{view: texture.createView(), loadOp: "clear", storeOp: "store", clearValue: [1, 0, 0, 1]}]}).end();
		return commands;
	};
	const texture = device.createTexture({size: [64, 64], format: "rgba8unorm", usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC});
	const buffer = device.createBuffer({size: 64 * 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ});
	const commands = fill(texture);
	commands.copyTextureToBuffer({texture}, {buffer, bytesPerRow: 256}, [64, 64]);
	device.queue.submit([commands.finish()]);
	await buffer.mapAsync(GPUMapMode.READ);
	const pixel = [...new Uint8Array(buffer.getMappedRange(), 0, 4)];
	const seen = {adapter: [adapter.info?.vendor, adapter.info?.architecture].filter(Boolean).join(" "), pixel};
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = 64;
	canvas.style = "position:fixed;left:0;top:0";
	document.body.append(canvas);
	const context = canvas.getContext("webgpu");
	context.configure({device, format: navigator.gpu.getPreferredCanvasFormat()});
	try {
		for (let i = 0; i < 3; i++) {
			await new Promise(requestAnimationFrame);
			device.queue.submit([fill(context.getCurrentTexture()).finish()]);
		}
		await device.queue.onSubmittedWorkDone();
	} catch (e) {
		seen.canvas = String(e);
	}
	return seen;
})()`

// gpu draws with WebGPU in a browser of its own, started with --webgpu, and looks at the pixels and at a screenshot.
func (d *doctor) gpu(ctx context.Context, path string) {
	const render, capture = "webgpu", "webgpu-screenshot"
	ctx, cancel := context.WithTimeout(ctx, launchLimit)
	defer cancel()
	o := d.launchOptions(path)
	o.WebGPU, o.Headed = true, d.set != nil && d.set.Bool("headed")
	started := time.Now()
	var seen struct {
		Failure string `json:"failure"`
		Adapter string `json:"adapter"`
		Pixel   []int  `json:"pixel"`
		Canvas  string `json:"canvas"` // why a canvas cannot be drawn on
	}
	var picture []byte
	err := inTrialPage(ctx, o, func(tab *cdp.Session) error {
		err := evaluate(ctx, tab, gpuScript, &seen)
		if err != nil || seen.Failure != "" || seen.Canvas != "" {
			return err
		}
		shot, err := cdp.Do(ctx, tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &page.Viewport{Width: 64, Height: 64, Scale: 1}})
		if err == nil {
			picture = shot.Data
		}
		return err
	})
	if err == nil && seen.Failure != "" {
		err = errors.New(seen.Failure)
	}
	if err == nil && (len(seen.Pixel) != 4 || seen.Pixel[0] < 250 || seen.Pixel[1] > 5) {
		err = fmt.Errorf("red was drawn, but the texture has %v", seen.Pixel)
	}
	if err != nil {
		d.fail(webgpu, render, "Update the browser, or its graphics drivers; `chrome://gpu` tells more.", "WebGPU does not work: %v", err)
		return
	}
	d.pass(webgpu, render, "WebGPU drew and read back pixels with %s in %s", seen.Adapter, span(started))
	const elsewhere = "Try `usher doctor --webgpu --headed`; or draw into a texture, and read that back in the page."
	if seen.Canvas != "" {
		d.warn(webgpu, capture, elsewhere, "nothing can be drawn on a canvas with WebGPU: %s", seen.Canvas)
		return
	}
	image, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		d.fail(webgpu, capture, "", "read the screenshot: %v", err)
		return
	}
	red, green, blue, _ := image.At(32, 32).RGBA()
	if red < 0xf000 || green > 0x1000 || blue > 0x1000 {
		d.warn(webgpu, capture, elsewhere,
			"screenshots lack what WebGPU draws: the canvas is red, the screenshot has rgb(%d, %d, %d)", red>>8, green>>8, blue>>8)
		return
	}
	d.pass(webgpu, capture, "a screenshot shows the canvas")
}

// recording encodes a picture, in a browser that is started as a session's.
func (d *doctor) recording(ctx context.Context, path string) {
	ctx, cancel := context.WithTimeout(ctx, launchLimit)
	defer cancel()
	var missing string
	err := inTrialPage(ctx, d.launchOptions(path), func(tab *cdp.Session) error { return evaluate(ctx, tab, videoScript, &missing) })
	if err == nil && missing != "" {
		err = fmt.Errorf("the browser cannot encode videos: %s", missing)
	}
	if err != nil {
		d.warn(recordings, "encoder", "Use a newer Chromium or Chrome, with WebCodecs. Everything but `record` works.", "%v", err)
		return
	}
	d.pass(recordings, "encoder", "the browser encodes VP8; `record` needs no other program")
}

// launchOptions returns the options with which a session's browser would start.
func (d *doctor) launchOptions(path string) chrome.Options {
	o := chrome.Options{Executable: path}
	if d.set != nil {
		o.Args, o.Proxy, o.ProxyBypass = d.set.List("args"), d.set.Str("proxy"), d.set.Str("proxy-bypass")
	}
	return o
}

// inTrialPage starts a browser, opens a blank page of this machine (a secure context, unlike about:blank), calls use with
// its tab, and ends everything.
func inTrialPage(ctx context.Context, o chrome.Options, use func(tab *cdp.Session) error) (err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve a page: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>trial</title><body></body>")
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		closing := server.Close()
		if serving := <-ended; !errors.Is(serving, http.ErrServerClosed) {
			closing = errors.Join(closing, serving)
		}
		err = errors.Join(err, closing)
	}()
	process, err := chrome.Launch(ctx, o)
	if err != nil {
		return err
	}
	r, w := process.Conn()
	conn := cdp.New(wire.Pipe(r, w), silent{})
	defer func() {
		// The examination may have been interrupted; what was started ends anyway.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, conn.Close(), process.Close(closing))
	}()
	made, err := cdp.Do(ctx, conn.Browser(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		return fmt.Errorf("open a tab: %w", err)
	}
	attached, err := cdp.Do(ctx, conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: new(true)})
	if err != nil {
		return fmt.Errorf("attach to the tab: %w", err)
	}
	tab := conn.Session(string(attached.SessionID))
	gone, err := cdp.Do(ctx, tab, page.Navigate, page.NavigateParams{URL: "http://" + listener.Addr().String() + "/"})
	if err == nil && gone.ErrorText != "" {
		err = errors.New(gone.ErrorText)
	}
	if err != nil {
		return fmt.Errorf("open a page of this machine: %w", err)
	}
	return use(tab)
}

// evaluate runs a script in the page and reads its value.
func evaluate(ctx context.Context, tab *cdp.Session, script string, into any) error {
	loaded := `new Promise(done => document.readyState === "complete" ? done() : addEventListener("load", done)).then(() => ` + script + `)`
	reply, err := cdp.Do(ctx, tab, runtime.Evaluate, runtime.EvaluateParams{Expression: loaded, AwaitPromise: new(true), ReturnByValue: new(true)})
	if err != nil {
		return fmt.Errorf("run a script in the page: %w", err)
	}
	if reply.ExceptionDetails != nil {
		return fmt.Errorf("run a script in the page: %s", reply.ExceptionDetails.Exception.Description)
	}
	if err := json.Unmarshal([]byte(reply.Result.Value), into); err != nil {
		return fmt.Errorf("read the value of a script in the page: %w", err)
	}
	return nil
}
