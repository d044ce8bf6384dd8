import { afterPush } from '../events/index.ts'

/** Enqueues the update of push mirrors after a push. `compose/refs.ts` registers the job, until mirrors are a `Module`. */
export const updatePushMirrors = afterPush({ kind: 'pushes.mirrors' })
