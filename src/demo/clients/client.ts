/** The members of an answer that the demo reads. */
// biome-ignore lint/suspicious/noExplicitAny: answers have the form of the operation that was asked
export type Body = any

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Asks the server as a client does. */
export type Api = {
  /**
   * Performs an operation in the name of a user, and returns the body of the answer.
   * @param path below `/api/v4`
   * @param body sent as JSON, unless it is a form
   * @throws Error with the answer, where the server refuses
   */
  ask(by: string, method: Method, path: string, body?: object): Promise<Body>
  /** Asks for any path without the token of root, and returns the answer whole. */
  open(
    method: Method,
    path: string,
    init: { headers?: Record<string, string>; body?: string | FormData | Uint8Array<ArrayBuffer> },
  ): Promise<Response>
  /** The address of the server, and the token of root. */
  url: string
  rootToken: string
  /** How many requests were sent. */
  sent(): number
}

/** A client that is root, and other users by `Sudo`: no token has to be made for them. */
export function apiOf(url: string, rootToken: string): Api {
  let count = 0
  async function ask(by: string, method: Method, path: string, body?: object): Promise<Body> {
    count += 1
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: {
        'PRIVATE-TOKEN': rootToken,
        ...(by === 'root' ? {} : { Sudo: by }),
        ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      body: isForm || body === undefined ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new Error(`${by}: ${method} ${path} ${isForm ? '' : JSON.stringify(body)}: ${response.status} ${text}`)
    }
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
  }
  return {
    ask,
    url,
    rootToken,
    sent: () => count,
    open(method, path, init) {
      count += 1
      return fetch(`${url}${path}`, { method, ...init })
    },
  }
}
