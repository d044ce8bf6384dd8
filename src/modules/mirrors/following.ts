import { now } from '../../infra/database/index.ts'
import type { Ports } from '../../platform/index.ts'
import { changeSettings, settingsOf } from '../projects/index.ts'
import { followingAddress, shownAddress } from './address.ts'
import { pullNow } from './schedule.ts'
import { openAddress, sealAddress } from './sealing.ts'
import { insertPullMirror, pullMirrorOf, updatePullMirror } from './store.ts'

/** Sets up the pull mirror of a project at a checked address (contract 21, `import_url` with `mirror`). */
export const pullFrom: Ports['projects.pull_from'] = async (platform, tx, project, { address: given, userId }) => {
  const { clock, secrets } = platform
  const sealing = await secrets.sealer()
  const before = await pullMirrorOf(tx, project.id)
  const address = followingAddress(new URL(given), before && openAddress(sealing, before.sealed_url, project.id))
  const columns = {
    url: shownAddress(address),
    sealed_url: sealAddress(sealing, address, project.id),
    user_id: userId,
    failures: 0,
    updated_at: now(clock),
  }
  const mirror = before
    ? await updatePullMirror(tx, before.id, columns)
    : await insertPullMirror(tx, { ...columns, project_id: project.id, created_at: now(clock) })
  await changeSettings(tx, project.id, { mirror_user_id: userId }, now(clock))
  if (mirror && settingsOf(project).mirror) await pullNow(platform, tx, mirror.id)
}
