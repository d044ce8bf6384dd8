import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { registryPublicKey } from '../../container-registry/index.ts'
import { newestEvent } from '../feed/store.ts'
import { presentNodes } from '../nodes/nodes.ts'
import { primaryNode } from '../nodes/store.ts'
import type { NodeRow } from '../tables.ts'

/** What a secondary has to know about itself and the primary (x.geo_int.node). */
export async function configurationFor(platform: Platform, node: NodeRow) {
  const { database, config, clock } = platform
  const primary = await primaryNode(database.read)
  if (!primary) throw new Error('the record of the primary was deleted')
  const [shownNode, shownPrimary] = await presentNodes(platform, database.read, [node, primary])
  if (!shownNode || !shownPrimary) throw new Error('a record is not shown')
  return {
    node: shownNode,
    primary: shownPrimary,
    storage_shards: Object.keys(config.storages),
    last_event_id: (await newestEvent(database.read))?.id ?? 0,
    registry_public_key: config.registryEnabled ? await registryPublicKey(platform) : null,
    server_time: now(clock),
  }
}
