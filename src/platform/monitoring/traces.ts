import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../infra/clock/index.ts'
import type { EndedJob } from '../../infra/jobs/index.ts'

/** Spans of what the server does, sent to a collector of OpenTelemetry. */
export type Traces = {
  /** Notes an answered request, within the trace that its `traceparent` names. */
  request(request: FastifyRequest, reply: FastifyReply, seconds: number): void
  /** Notes a background job that has ended. */
  job(job: EndedJob): void
  /** Sends what is not sent yet. */
  close(): Promise<void>
}

/** A time of a span. The library takes small numbers for times since the start of the process. */
const timeOf = (ms: number): [seconds: number, nanoseconds: number] => {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

/** The libraries, loaded by servers that send traces only. */
async function loadLibraries() {
  const [api, core, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  return { api, core, sdk, resources, OTLPTraceExporter }
}

/**
 * Opens the sending of spans. The service is called `fennec`, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` say otherwise.
 * @param url where the collector takes traces as OTLP over HTTP
 */
export async function openTraces(clock: Clock, url: string): Promise<Traces> {
  const { api, core, sdk, resources, OTLPTraceExporter } = await loadLibraries()
  const detectors = [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector]
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'fennec' }))
    .merge(resources.detectResources({ detectors }))
  const exporter = new OTLPTraceExporter({ url })
  const provider = new sdk.TracerProvider({ resource, spanProcessors: [new sdk.BatchSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('fennec')
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = api

  /** The trace of the caller; a new one where the header names none. */
  function callerOf({ headers }: FastifyRequest) {
    const caller = typeof headers.traceparent === 'string' ? core.parseTraceParent(headers.traceparent) : null
    return caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT
  }

  return {
    request(request, reply, seconds) {
      const endMs = clock.now().getTime()
      const { operationId: operation = 'none', method, id, userId, ip } = request
      const attributes = {
        'http.request.method': method,
        'http.response.status_code': reply.statusCode,
        'client.address': ip,
        'fennec.request_id': id,
        ...(userId === undefined ? {} : { 'user.id': String(userId) }),
      }
      const options = { kind: SpanKind.SERVER, startTime: timeOf(endMs - seconds * 1000), attributes }
      const span = tracer.startSpan(operation, options, callerOf(request))
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(timeOf(endMs))
    },
    job({ id, kind, queue, attempt, startedMs, endedMs, outcome, error }) {
      const attributes = { 'fennec.job': id, 'fennec.queue': queue, 'fennec.attempt': attempt }
      const options = { kind: SpanKind.CONSUMER, startTime: timeOf(startedMs), attributes }
      const span = tracer.startSpan(kind, options, ROOT_CONTEXT)
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
      span.end(timeOf(endedMs))
    },
    // A collector that is away does not keep the server from stopping.
    close: () => provider.shutdown().catch(() => {}),
  }
}
