import type { Reactions } from './platform/index.ts'

/** What follows each event, in this order, in the transaction of the event. */
export const reactions: Reactions = {}
