import { failure, type Service } from '../../../api/index.ts'
import type { Platform, RefRule } from '../../../platform/index.ts'
import { readSuperseded, recordSuperseded, type Superseded, superseded } from '../../../platform/instance/index.ts'
import type { Failing } from '../../../platform/monitoring/index.ts'
import { answersGit, changesNothing } from '../serving/without-primary.ts'

/** What it says to those who would change something. */
export const supersededSentence = ({ by }: Superseded) =>
  `Another server was promoted in place of this one, which accepts no changes any more: ${by}`

/** Posts that are answered: the message itself, and the question where LFS objects are, whose uploads are refused. */
const passes = (path: string) => path === '/api/v4/geo/superseded' || path.endsWith('/info/lfs/objects/batch')

/** Records that the node that calls was promoted in place of this server (x.geo_int.superseded). */
export async function acceptSuperseded(
  platform: Platform,
  { url, promoted_at: at }: { url: string; promoted_at: string },
): Promise<{ message: string }> {
  await recordSuperseded(platform, { by: url, at })
  platform.log.warn({ by: url, at }, 'another server was promoted in place of this one: it accepts no changes any more')
  return { message: '201 Created' }
}

/** Refuses changes on a server in whose place another one was promoted. Reads go on: what was not copied may be fetched. */
export function supersededFront(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const found = await readSuperseded(platform)
      const path = request.url.split('?', 1)[0] ?? ''
      if (!found || changesNothing(request) || passes(path)) return false
      const sentence = supersededSentence(found)
      if (!answersGit(path)) throw failure(503, `503 Service Unavailable - ${sentence}`)
      reply.code(503).header('Cache-Control', 'no-cache').type('text/plain; charset=utf-8').send(sentence)
      return true
    },
  }
}

/** Refuses pushes by SSH, which the front does not see. */
export const supersededRule: RefRule = async (platform) => {
  const found = await readSuperseded(platform)
  return found && [supersededSentence(found)]
}

/** What the readiness probe says of it: a proxy shall send it no requests. */
export function supersededFailing(platform: Platform): Failing[] {
  if (!superseded(platform)) return []
  return [{ check: 'promotion', message: 'another server was promoted in place of this one' }]
}
