import { header, isPathNumber, limitRequests, type RequestInfo, unauthorized } from '../../../api/index.ts'
import { hashToken, safeEqual } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import { clientOfProject } from '../clients/store.ts'
import type { FlagClientRow } from '../tables.ts'

/** A header, or else the parameter that stands for it. */
function given(request: RequestInfo, name: string, parameter: string | undefined): string | undefined {
  return header(request, name) || parameter || undefined
}

/** The name of the environment of a client, which SDKs call their application; longer ones match no scope but `*`. */
export const environmentOf = (request: RequestInfo, appName: string | undefined): string | null =>
  given(request, 'unleash-appname', appName) ?? null

/**
 * The client that a request comes from (contract 24, Unleash client API).
 * @param project as in the path
 * @throws ApiError 401 for a wrong instance id and for an unknown project; 429
 */
export async function authenticateClient(
  platform: Platform,
  request: RequestInfo,
  project: string,
  instanceId: string | undefined,
): Promise<FlagClientRow> {
  const { read } = platform.database
  const presented = given(request, 'unleash-instanceid', instanceId)
  const id = isPathNumber(project) && Number.isSafeInteger(Number(project)) ? Number(project) : 0
  const row = id > 0 && presented ? await clientOfProject(read, id) : null
  if (!row || !presented || !safeEqual(hashToken(presented), row.instance_id_digest)) throw unauthorized()
  const found = await projectById(read, id)
  if (!found || found.pending_delete) throw unauthorized()
  const requests = platform.config.unleashPerMinute
  await limitRequests(platform, id, { name: 'unleash', requests, periodSeconds: 60 })
  return row
}
