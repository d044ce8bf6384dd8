import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { NodeRow } from '../tables.ts'
import { sameName } from './rules.ts'
import { nameKey, nodesByNameKeys } from './store.ts'

/** The name of this server among the nodes (contract 15, "Roles and configuration"). */
export function ownName({ config, externalUrl }: Pick<Platform, 'config' | 'externalUrl'>): string {
  return config.geo.nodeName ?? externalUrl
}

/** The record of this server; null when it has none. */
export async function ownNode(platform: Pick<Platform, 'config' | 'externalUrl'>, db: Reader): Promise<NodeRow | null> {
  const name = ownName(platform)
  const bare = nameKey(name).replace(/\/+$/, '')
  const found = await nodesByNameKeys(db, [...new Set([nameKey(name), bare, `${bare}/`])])
  const own = found.filter((node) => sameName(node.name, name))
  return own.find((node) => node.name === name) ?? own[0] ?? null
}
