/** An answer of the server, read whole. */
export type Answer = {
  status: number
  headers: Headers
  /** The JSON of the body, or its text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form
  body: any
}

export type RequestOptions = {
  /** Sent as JSON, unless it is a form (`URLSearchParams`, `FormData`) or a text, which go as they are. */
  body?: unknown
  headers?: Record<string, string>
}

/** Calls the API with one token. */
export type Client = {
  get(path: string, options?: RequestOptions): Promise<Answer>
  head(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  delete(path: string, options?: RequestOptions): Promise<Answer>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Asks, and leaves the body to the caller. */
  open(path: string, options?: RequestOptions): Promise<Response>
  /** The token that is sent; empty for anonymous requests. */
  token: string
}

function isReady(body: unknown): body is string | URLSearchParams | FormData {
  return typeof body === 'string' || body instanceof URLSearchParams || body instanceof FormData
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/**
 * A client for a server.
 * @param token sent as `PRIVATE-TOKEN`; none for a caller without credentials
 */
export function clientOf(url: string, token = ''): Client {
  function send(method: string, path: string, { body, headers = {} }: RequestOptions = {}): Promise<Response> {
    const json = body !== undefined && !isReady(body)
    return fetch(
      path.startsWith('/-/') || path.startsWith('root:')
        ? `${url}${path.replace('root:', '')}`
        : `${url}/api/v4${path}`,
      {
        method,
        redirect: 'manual',
        headers: {
          ...(token === '' ? {} : { 'PRIVATE-TOKEN': token }),
          ...(json ? { 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        body: json ? JSON.stringify(body) : (body as string | undefined),
      },
    )
  }
  const request = async (method: string, path: string, options?: RequestOptions) =>
    read(await send(method, path, options))
  return {
    token,
    request,
    open: (path, options) => send('GET', path, options),
    get: (path, options) => request('GET', path, options),
    head: (path, options) => request('HEAD', path, options),
    post: (path, body, options) => request('POST', path, { ...options, body }),
    put: (path, body, options) => request('PUT', path, { ...options, body }),
    patch: (path, body, options) => request('PATCH', path, { ...options, body }),
    delete: (path, options) => request('DELETE', path, options),
  }
}

/** The raw bytes of an answer. */
export async function bytesAt(client: Client, path: string, headers: Record<string, string> = {}) {
  const response = await client.open(path, { headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
