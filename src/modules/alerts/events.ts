import type { Actor } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'

/** An incident that is to be opened for an alert. */
export type NewIncident = {
  projectId: number
  authorId: number
  title: string
  /** Markdown. */
  description: string
  severity: 'critical' | 'high' | 'medium' | 'low' | 'unknown'
}

/** What alerts show of their incident. */
export type Incident = { id: number; iid: number; state: 'opened' | 'closed'; web_url: string }

/** Alerts of one project whose status has become this one. */
export type TurnedAlerts = {
  projectId: number
  /** Who changed them; the bot for deliveries. */
  userId: number
  alertIds: number[]
  status: 'triggered' | 'resolved'
}

declare module '../../platform/platform.ts' {
  interface Events {
    /** Alerts were triggered or resolved: by a delivery, by a user, or by the end of their incident. */
    'alerts.turned': TurnedAlerts
  }
  interface Questions {
    /** Opens an incident in the transaction in which its alert is linked to it; null where the project has no issues. */
    'alerts.open_incident'(tx: Tx, incident: NewIncident): Promise<{ id: number; iid: number } | null>
    /** Closes an issue as a user, unless it is closed. */
    'alerts.close_incident'(tx: Tx, issueId: number, userId: number): Promise<void>
    /** Facts about issues, by id. */
    'alerts.incidents'(issueIds: readonly number[]): Promise<ReadonlyMap<number, Incident>>
    /** An issue as the API presents it to a caller. */
    'alerts.present_incident'(issueId: number, actor: Actor): Promise<Record<string, unknown> | null>
  }
}
