import type { UserActor } from '../../../api/index.ts'
import { type ImportedUsers, integerOf, lineOf, type Platform, textOf } from '../../../platform/index.ts'
import { usersByEmails, usersByUsernames } from '../../users/index.ts'
import type { ReadLine } from '../reading/lines.ts'

/** A user of another server, as its files describe them. */
type Foreign = { id: number; username: string | null; name: string | null; email: string | null }

const usersAtOnce = 500

/** The user of a line of `user_contributions`, or of the member `user` of another line; null when it describes none. */
function foreignUser(read: ReadLine): Foreign | null {
  if ('problem' in read) return null
  try {
    const line = (read.line.user === undefined ? null : lineOf(read.line, 'user')) ?? read.line
    const id = integerOf(line, 'id', { least: 1 })
    if (id === null) return null
    const text = (name: string) => textOf(line, name, 255)
    return { id, username: text('username'), name: text('name'), email: text('public_email') || text('email') }
  } catch {
    // What is no user is found by no line.
    return null
  }
}

type Found = { localId: number | null; name: string | null }

/** Finds the same people here: by confirmed address, and for administrators by username as well (contract 25, What an import makes). */
async function match({ database: { read } }: Platform, { administrator }: UserActor, users: readonly Foreign[]) {
  const byAddress = new Map<string, number>()
  const addresses = users.flatMap(({ email }) => email ?? [])
  for (const { address, user } of await usersByEmails(read, addresses)) byAddress.set(address, user.id)
  const byName = new Map<string, number>()
  const names = administrator ? users.flatMap(({ username }) => username?.toLowerCase() ?? []) : []
  for (const user of await usersByUsernames(read, names)) byName.set(user.username.toLowerCase(), user.id)
  return ({ email, username }: Foreign): number | null =>
    byAddress.get(email?.toLowerCase() ?? '') ?? byName.get(username?.toLowerCase() ?? '') ?? null
}

/**
 * Reads the users of another server from lines that describe them, and finds those who are the same people here.
 * @param importer who imports; their rights decide how users are matched
 */
export async function readUsers(
  platform: Platform,
  importer: UserActor,
  lines: AsyncIterable<ReadLine>,
): Promise<ImportedUsers> {
  const found = new Map<number, Found>()
  let portion: Foreign[] = []
  const add = async () => {
    const localOf = await match(platform, importer, portion)
    for (const user of portion) {
      const before = found.get(user.id)
      found.set(user.id, { localId: before?.localId ?? localOf(user), name: before?.name ?? user.name })
    }
    portion = []
  }
  for await (const line of lines) {
    const user = foreignUser(line)
    if (user) portion.push(user)
    if (portion.length >= usersAtOnce) await add()
  }
  if (portion.length > 0) await add()
  return {
    localId: (id) => found.get(id)?.localId ?? null,
    nameOf: (id) => found.get(id)?.name ?? null,
  }
}
