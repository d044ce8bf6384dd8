import type { Embedded } from '../embedded.ts'
import { now } from '../infra/database/index.ts'
import { hashToken, randomToken } from '../infra/secrets/index.ts'
import { insertNamespace, type NamespaceRow, namespaceOfUser, type Visibility } from '../modules/namespaces/index.ts'
import { insertProject, type ProjectRow } from '../modules/projects/index.ts'
import { insertAccessToken } from '../modules/tokens/index.ts'
import { createUserRows } from '../modules/users/index.ts'
import { type Client, clientOf } from './client.ts'

/** A client that speaks as a user. */
export type Person = Client & { id: number; username: string }

type Place = { namespace?: NamespaceRow; visibility?: Visibility }

/** Makes rows directly, for tests that are about something else; what operations do is tested through them. */
export type Fixtures = {
  user(username: string, scopes?: readonly string[]): Promise<Person>
  /** A group with its owner. */
  group(
    path: string,
    owner: { id: number },
    place?: { parent?: NamespaceRow; visibility?: Visibility },
  ): Promise<NamespaceRow>
  /** A project with an empty repository, in the user's own namespace unless told. */
  project(path: string, owner: { id: number }, place?: Place): Promise<ProjectRow>
  member(of: { namespace: NamespaceRow } | { project: ProjectRow }, user: { id: number }, level: number): Promise<void>
  /** Another token of a user. */
  token(user: { id: number }, scopes: readonly string[], expiresAt?: string | null): Promise<string>
}

export function fixturesOf(fennec: Embedded): Fixtures {
  const { database, clock } = fennec.app.platform
  const moment = () => now(clock)

  async function token(user: { id: number }, scopes: readonly string[], expiresAt: string | null = null) {
    const text = randomToken('glpat-')
    await database.write((tx) =>
      insertAccessToken(tx, {
        kind: 'personal',
        user_id: user.id,
        name: 'test',
        digest: hashToken(text),
        scopes: JSON.stringify(scopes),
        expires_at: expiresAt,
        created_at: moment(),
      }),
    )
    return text
  }

  return {
    token,
    async user(username, scopes = ['api']) {
      const { id } = await database.write((tx) =>
        createUserRows(tx, {
          username,
          name: `${username} person`,
          email: `${username}@example.com`,
          confirmed_at: moment(),
          projects_limit: 100,
          created_at: moment(),
        }),
      )
      return Object.assign(clientOf(fennec.url, await token({ id }, scopes)), { id, username })
    },
    async group(path, owner, { parent, visibility = 'private' } = {}) {
      return database.write(async (tx) => {
        const group = { kind: 'group' as const, name: path, path, parent: parent ?? null, ownerId: null, visibility }
        const row = await insertNamespace(tx, { ...group, now: moment() })
        const member = { namespace_id: row.id, user_id: owner.id, access_level: 50, created_at: moment() }
        await tx.insertInto('members').values(member).execute()
        return row
      })
    },
    async project(path, owner, { namespace, visibility = 'private' } = {}) {
      const own = namespace ?? (await namespaceOfUser(database.read, owner.id))
      if (!own) throw new Error(`user ${owner.id} has no namespace`)
      const project = { namespace: own, name: path, path, visibility, creator_id: owner.id, storage: 'default' }
      return database.write((tx) => insertProject(tx, { ...project, now: moment() }))
    },
    async member(of, user, level) {
      const place = 'project' in of ? { project_id: of.project.id } : { namespace_id: of.namespace.id }
      const member = { ...place, user_id: user.id, access_level: level, created_at: moment() }
      await database.write((tx) => tx.insertInto('members').values(member).execute())
    },
  }
}
