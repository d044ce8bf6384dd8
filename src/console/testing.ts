import type { Person, TestServer } from '../testing/index.ts'

export const password = 'korrekt-horse-9'

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Text of HTML as people read it. */
export const readText = (html = '') => html.replace(/&([a-z]+|#\d+);/g, (all, name) => entities[name] ?? all)

/** What a browser does without a script: it stores cookies, follows no redirect, and sends forms from pages of the server. */
export function browserOf(url: string, first = '') {
  const jar = new Map(first === '' ? [] : [first.split('=', 2) as [string, string]])
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

  type Sent = { headers?: Record<string, string>; fields?: Record<string, string> | FormData }
  async function send(method: string, path: string, { headers = {}, fields }: Sent = {}) {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { Accept: 'text/html', ...(jar.size > 0 && { Cookie: cookies() }), ...headers },
      ...(fields && { body: fields instanceof FormData ? fields : new URLSearchParams(fields) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  const submit = (path: string, fields: Record<string, string> | FormData) =>
    send('POST', path, { headers: { Origin: url }, fields })
  return {
    cookies,
    send,
    /** Sends a form from a page of the server. */
    submit,
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
    /** @throws Error when the form is shown again */
    async signIn(username: string, password: string) {
      const { status, text } = await submit('/users/sign_in', { username, password, return_to: '/' })
      if (status !== 303) throw new Error(`${username} is not signed in: ${text}`)
    },
  }
}

export type TestBrowser = ReturnType<typeof browserOf>

/** A user who has signed in with a browser, and has a token. */
export async function personWithBrowser(
  server: TestServer,
  username: string,
): Promise<Person & { browser: TestBrowser }> {
  const account = { username, name: username, email: `${username}@example.com`, password, skip_confirmation: true }
  const { body: user } = await server.root.post('/users', account)
  const token = { name: 'test', scopes: ['api'] }
  const { body: made } = await server.root.post(`/users/${user.id}/personal_access_tokens`, token)
  const browser = browserOf(server.url)
  await browser.signIn(username, password)
  return { ...server.as(made.token), id: user.id, username, browser }
}
