import { browserOf, password, readText } from '../../console/testing.ts'
import type { TestServer } from '../../testing/index.ts'
import { addToGrant } from './authorization/store.ts'

/** A user who can sign in with `password`. */
export async function makePerson(server: TestServer, username: string): Promise<{ id: number; username: string }> {
  const { id } = await server.user(username)
  await server.root.put(`/users/${id}`, { password })
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ password_expired: false }).where('id', '=', id).execute(),
  )
  return { id, username }
}

export const callback = 'https://app.example/callback'

/** Registers an application. */
export async function makeApplication(server: TestServer, more: object = {}) {
  const wanted = { name: 'App', redirect_uri: callback, scopes: 'api read_user openid profile email' }
  const { body } = await server.root.post('/applications', { ...wanted, ...more })
  return { id: body.id as number, client_id: body.application_id as string, client_secret: body.secret as string }
}

/** The address and the hidden fields of the form of a page that performs an operation. */
export function formIn(html: string, operation: string): { action: string; fields: Record<string, string> } {
  const form = html.split('<form').find((one) => one.includes(`value="${operation}"`)) ?? ''
  const inputs = form.split('</form>')[0]?.matchAll(/<input[^>]*?name="([^"]*)"[^>]*?value="([^"]*)"/g) ?? []
  const fields = Object.fromEntries([...inputs].map(([, name, value]) => [readText(name), readText(value)]))
  return { action: readText(/action="([^"]*)"/.exec(form)?.[1]), fields }
}

type Shown = { status: number; headers: Headers; location: string; html: string }

/** A browser without a script, in which people decide about applications. */
export function makeBrowser({ url }: Pick<TestServer, 'url'>) {
  const { get, send, submit } = browserOf(url)
  async function shown(answer: ReturnType<typeof get>): Promise<Shown> {
    const { status, headers, text } = await answer
    return { status, headers, location: headers.get('location') ?? '', html: text }
  }
  return {
    get: (path: string) => shown(get(path)),
    /** Sends a form as a page of another server would. */
    forge: (path: string, fields: Record<string, string>) =>
      shown(send('POST', path, { headers: { Origin: 'https://evil.test' }, fields })),
    /** Signs in, on the way to another page. @returns where that leads */
    async signIn(username: string, address = '/') {
      return (await shown(submit('/users/sign_in', { username, password, return_to: address }))).location
    },
    /** Sends the form of a page that performs an operation. */
    submit(html: string, operation: string, fields: Record<string, string>) {
      const form = formIn(html, operation)
      return shown(submit(form.action, { ...form.fields, ...fields }))
    },
  }
}

export type Browser = ReturnType<typeof makeBrowser>

/** Records that a user has authorised a new application. */
export async function makeGrant(server: TestServer, user: { id: number }, scopes: readonly string[] = ['api']) {
  const { id: applicationId } = await makeApplication(server)
  const granting = { userId: user.id, applicationId, scopes, at: '2026-01-02T03:04:05.678Z' }
  return server.app.platform.database.write((tx) => addToGrant(tx, granting))
}
