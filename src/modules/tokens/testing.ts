import { expect } from 'vitest'
import { dayAfter } from '../../api/index.ts'
import type { Client, TestServer } from '../../testing/index.ts'

/** Where the clocks of these tests start. */
export const start = '2026-03-04T05:06:07.890Z'
export const today = '2026-03-04'

/** The last valid expiry day. */
export const latest = dayAfter(new Date(start), 365)

/** A token of a user, created through the API by root, and a client that uses it. */
export async function newPersonalToken(server: TestServer, userId: number, values: Record<string, unknown> = {}) {
  const wanted = { name: 'made', scopes: ['api'], ...values }
  const { status, body } = await server.root.post(`/users/${userId}/personal_access_tokens`, wanted)
  expect(status).toBe(201)
  return { ...body, client: server.as(body.token) } as { id: number; token: string; client: Client }
}

/** Parameters of a new project or group access token. */
export const robotToken = { name: 'robot', scopes: ['api'], access_level: 30 }

/** A group with an owner, a project in it with a maintainer and a developer, and the paths of their access tokens. */
export async function placeOfTokens(server: TestServer, name: string) {
  const owner = await server.user(`${name}_owner`)
  const maintainer = await server.user(`${name}_maintainer`)
  const developer = await server.user(`${name}_developer`)
  const group = await server.make.group(`${name}-group`, owner)
  const project = await server.make.project('demo', owner, { namespace: group })
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  const projectPath = `/projects/${project.id}/access_tokens`
  const groupPath = `/groups/${group.id}/access_tokens`
  return { owner, maintainer, developer, group, project, projectPath, groupPath }
}

/** The bot of a token, with its memberships. */
export async function botOf(server: TestServer, userId: number) {
  const db = server.app.platform.database.read
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
  const members = await db.selectFrom('members').selectAll().where('user_id', '=', userId).execute()
  return { user, members }
}
