import { ApiError, header, type RequestInfo, routeNotFound } from '../../api/index.ts'
import type { Config } from '../../config.ts'
import { isInNetwork } from '../../infra/net/index.ts'
import { safeEqual } from '../../infra/secrets/index.ts'

/** Who may read the metrics: all clients, unless addresses or a token are configured. */
export type MetricsAccess = Pick<Config, 'metricsAllow' | 'metricsToken'>

type Asking = Pick<RequestInfo, 'headers'> & { ip: string }

/**
 * Checks that a request may read the metrics: from a configured address, or with the configured token.
 * @param request its `ip` is that of the client, as trusted proxies say it
 * @throws ApiError 401 where a token would do, else 404
 */
export function checkMetricsAccess({ metricsAllow, metricsToken }: MetricsAccess, request: Asking): void {
  if (metricsAllow.length === 0 && metricsToken === undefined) return
  if (metricsAllow.some((network) => isInNetwork(request.ip, network))) return
  if (metricsToken === undefined) throw routeNotFound()
  const [, sent = ''] = /^bearer +(\S+)$/i.exec(header(request, 'authorization') ?? '') ?? []
  if (safeEqual(sent, metricsToken)) return
  const challenge = { 'WWW-Authenticate': 'Bearer realm="Metrics"' }
  throw new ApiError('unauthorized', 401, { message: '401 Unauthorized' }, challenge)
}
