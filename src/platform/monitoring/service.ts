import type { Service } from '../../api/index.ts'
import type { Metrics } from './metrics.ts'

/**
 * Serves the pages below `/-/` for monitoring (contract 20, "meta").
 * @param isReady whether an authorised call would work now
 */
export function createMonitoring(metrics: Metrics, isReady: () => Promise<boolean>): Service {
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/-/health': async () => ({ status: 200, type: 'text/plain', body: 'GitLab OK' }),
    '/-/liveness': async () => ({ status: 200, type: 'application/json', body: '{"status":"ok"}' }),
    '/-/readiness': async () => {
      const ready = await isReady().catch(() => false)
      const status = ready ? 'ok' : 'failed'
      const body = JSON.stringify({ status, master_check: [{ status }] })
      return { status: ready ? 200 : 503, type: 'application/json', body }
    },
    '/-/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  }
  return {
    async handle(request, reply) {
      const page = pages[request.url.split('?', 1)[0] ?? '']
      if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      request.operationId = 'monitoring'
      const { status, type, body } = await page()
      reply.header('Cache-Control', 'no-cache').code(status).type(type).send(body)
      return true
    },
  }
}
