import { expect } from 'vitest'
import type { Person, TestServer } from '../../testing/index.ts'

/** A top-level group with an owner and a maintainer, a subgroup, and the path of the domains of its project. */
export async function enterprise(server: TestServer, name: string) {
  const owner = await server.user(`${name}_owner`)
  const maintainer = await server.user(`${name}_maintainer`)
  const group = await server.make.group(name, owner)
  await server.make.member({ namespace: group }, maintainer, 40)
  const subgroup = await server.make.group('below', owner, { parent: group })
  const project = await server.make.project('site', owner, { namespace: subgroup })
  const users = `/groups/${group.id}/enterprise_users`
  return { owner, maintainer, group, subgroup, project, users, domains: `/projects/${project.id}/pages/domains` }
}

export type Enterprise = Awaited<ReturnType<typeof enterprise>>

/** Publishes the code of a domain where servers with the setting `static` look it up. */
export function publish(server: TestServer, domain: string, code: string): void {
  const { config } = server.app.platform
  config.domainsVerification = 'static'
  config.domainsStaticTxt = { ...config.domainsStaticTxt, [domain]: [`fennec-pages-verification-code=${code}`] }
}

/** Forgets what was published. */
export function unpublish(server: TestServer): void {
  server.app.platform.config.domainsStaticTxt = {}
}

/** Adds a domain and verifies it; its users have been claimed. */
export async function verifiedDomain(server: TestServer, { owner, domains }: Enterprise, domain: string) {
  const { body } = await owner.post(domains, { domain })
  publish(server, domain, body.verification_code)
  expect((await owner.put(`${domains}/${domain}/verify`)).status).toBe(200)
  await server.app.platform.jobs.drain()
}

/** A user with this address, confirmed. */
export async function userWith(server: TestServer, username: string, email: string): Promise<Person> {
  const user = await server.user(username)
  await changeAddress(server, user, email)
  return user
}

/** Changes the primary address of a user, as an administrator. */
export async function changeAddress(server: TestServer, { id }: { id: number }, email: string): Promise<void> {
  expect((await server.root.put(`/users/${id}`, { email, skip_reconfirmation: true })).status).toBe(200)
}

/** Marks users as signing in with a second factor. */
export async function withTwoFactor(server: TestServer, { id }: { id: number }): Promise<void> {
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', id).execute(),
  )
}

/** Status and body of an error. */
export const refused = (status: number, message: unknown) => ({ status, body: { message } })

export const idsOf = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id)
