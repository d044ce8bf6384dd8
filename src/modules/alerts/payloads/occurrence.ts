import type { AlertsTable, Severity } from '../tables.ts'

/** What a payload says about one alert. */
export type Occurrence = {
  title: string
  description: string | null
  severity: Severity
  service: string | null
  monitoringTool: string | null
  hosts: string[]
  /** ISO text. */
  startedAt: string
  /** When the alert ended, of an occurrence that resolves; else null. */
  endedAt: string | null
  fingerprint: string | null
  /** Of an item of the monitoring-tool format, what its labels alone name; the fingerprint of an item without an own one. */
  looseFingerprint: string | null
  environmentName: string | null
  runbook: string | null
  fullQuery: string | null
  yLabel: string | null
  format: AlertsTable['format']
  /** JSON text. */
  payload: string
}
