import { expect } from 'vitest'
import type { Client, TestServer } from '../../testing/index.ts'

/** A top-level group with an owner, a maintainer, a subgroup and a private project. */
export async function placeOfAccounts(server: TestServer, name: string) {
  const owner = await server.user(`${name}_owner`)
  const maintainer = await server.user(`${name}_maintainer`)
  const group = await server.make.group(name, owner)
  await server.make.member({ namespace: group }, maintainer, 40)
  const subgroup = await server.make.group('below', owner, { parent: group })
  const project = await server.make.project('demo', owner, { namespace: group })
  const accounts = `/groups/${group.id}/service_accounts`
  return { owner, maintainer, group, subgroup, project, accounts }
}

export type PlaceOfAccounts = Awaited<ReturnType<typeof placeOfAccounts>>

/** Creates a service account of the group. */
export async function newAccount({ owner, accounts }: PlaceOfAccounts, wanted: Record<string, unknown> = {}) {
  const { status, body } = await owner.post(accounts, wanted)
  expect(status).toBe(201)
  return body as { id: number; username: string; name: string; email: string }
}

/** Creates a token of a service account, and a client that uses it. */
export async function newToken(
  server: TestServer,
  { owner, accounts }: PlaceOfAccounts,
  accountId: number,
  wanted: Record<string, unknown> = {},
) {
  const path = `${accounts}/${accountId}/personal_access_tokens`
  const { status, body } = await owner.post(path, { name: 'made', scopes: ['api'], ...wanted })
  expect(status).toBe(201)
  return { ...body, client: server.as(body.token) } as {
    id: number
    token: string
    created_at: string
    expires_at: string | null
    client: Client
  }
}

/** Status and body of an error. */
export const refused = (status: number, message: unknown) => ({ status, body: { message } })
