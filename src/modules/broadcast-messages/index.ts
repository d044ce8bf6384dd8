import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { bannerListener } from './banners.ts'
export { broadcastMessagesList } from './operations.ts'

/** Notices that are shown to users for a time (contract 06). */
export const broadcastMessages: Module = {
  name: 'broadcast-messages',
  tags: { 'Broadcast messages': 'Notices that are shown to users for a time.' },
  operations: Object.values(operations),
}
