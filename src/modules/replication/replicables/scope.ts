import type { Platform } from '../../../platform/index.ts'
import type { NodeRow } from '../tables.ts'
import type { Scope } from './store.ts'

/** What a node has copies of (contract 15, "Selective sync"). */
export function scopeOf({ config }: Pick<Platform, 'config'>, node: NodeRow): Scope {
  return {
    type: node.selective_sync_type,
    nodeId: node.id,
    shards: node.selective_sync_shards,
    withoutObjects: config.objectsUrl.startsWith('s3:') && !node.sync_object_storage,
  }
}
