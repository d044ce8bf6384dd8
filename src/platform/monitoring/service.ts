import type { Service } from '../../api/index.ts'
import { valuesByName } from '../../infra/grouping/index.ts'
import { checkMetricsAccess, type MetricsAccess } from './access.ts'
import { metricsType } from './metrics.ts'
import type { Failing, Monitored } from './monitored.ts'

const isReady = (failing: readonly Failing[]) => failing.every(({ isBearable }) => isBearable)

/** The body of the readiness probe: beside the result the checks that fail, each with its sentence. */
function readinessOf(failing: readonly Failing[]): object {
  const status = isReady(failing) ? 'ok' : 'failed'
  const checks = valuesByName(
    failing,
    ({ check }) => `${check}_check`,
    ({ message, shard }) => ({ status: 'failed', message, ...(shard === undefined ? {} : { labels: { shard } }) }),
  )
  return { status, master_check: [{ status }], ...checks }
}

/** Serves the pages below `/-/` for monitoring (contract 20, "meta"). */
export function createMonitoring({ isAlive, failing, metricsText }: Monitored, access: MetricsAccess): Service {
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/-/health': async () => ({ status: 200, type: 'text/plain', body: 'GitLab OK' }),
    '/-/liveness': async () => {
      const alive = await isAlive()
      const body = JSON.stringify({ status: alive ? 'ok' : 'failed' })
      return { status: alive ? 200 : 503, type: 'application/json', body }
    },
    '/-/readiness': async () => {
      const found = await failing().catch((): Failing[] => [{ check: 'master', message: 'the server fails' }])
      const body = JSON.stringify(readinessOf(found))
      return { status: isReady(found) ? 200 : 503, type: 'application/json', body }
    },
    '/-/metrics': async () => ({ status: 200, type: metricsType, body: await metricsText() }),
  }
  return {
    async handle(request, reply) {
      const page = pages[request.url.split('?', 1)[0] ?? '']
      if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      request.operationId = 'monitoring'
      if (page === pages['/-/metrics']) checkMetricsAccess(access, request)
      const { status, type, body } = await page()
      reply.header('Cache-Control', 'no-cache').code(status).type(type).send(body)
      return true
    },
  }
}
