import type { AnswerOf } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import {
  incidentMetricImagesCreate,
  incidentMetricImagesDelete,
  incidentMetricImagesList,
  named,
} from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { MetricImages } from '../../../parts/metric-images.tsx'
import { addressIn } from '../places.ts'
import type { ReadIssue } from './read.ts'

const alerts = named('alerts.list')
type AlertOfIncident = { iid: number; title: string; severity: string; issue: { iid: number } | null }

/** What an incident has besides an issue. */
export type ReadIncident = {
  /** The alert for which it was opened. */
  alert: AlertOfIncident | null
  images: AnswerOf<typeof incidentMetricImagesList>
  mayAddImages: boolean
}

/** Reads what an incident has besides an issue; null for issues of other types. */
export async function readIncident(visit: Visit, { issue, call }: ReadIssue): Promise<ReadIncident | null> {
  if (issue.issue_type !== 'incident') return null
  const [found, images, mayAddImages] = await Promise.all([
    visit.find(alerts, { id: call.id, issue_id: issue.id }) as Promise<{ items: AlertOfIncident[] } | null>,
    visit.read(incidentMetricImagesList, call),
    visit.may(incidentMetricImagesCreate, call),
  ])
  return { alert: found?.items[0] ?? null, images, mayAddImages }
}

/** Says that an issue is an incident, and of which alert. */
export function Incident({ visit, of }: { visit: Visit; of: ReadIncident | null }): Html {
  if (!of) return <></>
  const { alert } = of
  return (
    <p class="incident">
      <span class="tagged">incident</span>
      {alert && (
        <>
          {' opened for the alert '}
          <a href={addressIn(visit, `alert_management/${alert.iid}/details`)}>{alert.title}</a>
        </>
      )}
    </p>
  )
}

/** Pictures of what was measured during an incident. */
export function IncidentImages({
  visit,
  of,
  incident,
}: {
  visit: Visit
  of: ReadIssue
  incident: ReadIncident | null
}) {
  if (!incident) return <></>
  return (
    <MetricImages
      visit={visit}
      images={incident.images}
      create={incidentMetricImagesCreate}
      remove={incidentMetricImagesDelete}
      call={of.call}
      named="metric_image_id"
      mayChange={incident.mayAddImages}
    />
  )
}
