import type { Raw } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { settingsOfGroup } from '../../groups/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'

/** Formats whose clients are sent elsewhere for packages that are not here. */
type Format = 'npm' | 'pypi' | 'maven'

/**
 * Where clients of a format are sent for a package that a namespace does not have (contract 23 R9). The nearest group that says
 * something decides, else the server.
 * @param namespaceId null: the server
 * @returns an address without a slash at its end; null when they are not sent anywhere
 */
export async function forwardAddress(
  { database, settings }: Platform,
  format: Format,
  namespaceId: number | null,
): Promise<string | null> {
  const setting = `${format}_package_requests_forwarding` as const
  const current = await settings.current()
  const above = namespaceId === null ? [] : await ancestorsOf(database.read, namespaceId)
  const decided = above.map((row) => (row.kind === 'group' ? settingsOfGroup(row)[setting] : null))
  const isForwarded = decided.find((value) => value !== null) ?? current[setting]
  return isForwarded ? current[`${setting}_url`].replace(/\/+$/, '') : null
}

/** An answer that sends the client to another address. */
export const redirectTo = (address: string): Raw => ({
  headers: { Location: address, 'Cache-Control': 'no-store' },
  body: '',
})
