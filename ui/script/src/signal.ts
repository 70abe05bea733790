// Calls that an AbortSignal ends, as many of Puppeteer's have it.

export interface Abortable {
  signal?: AbortSignal | undefined;
}

// unlessAborted is a promise that an abort rejects at once; ended is called then.
export function unlessAborted<T>(signal: AbortSignal | undefined, begin: () => Promise<T>, ended?: () => void): Promise<T> {
  if (!signal) return begin();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      ended?.();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    begin().then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
