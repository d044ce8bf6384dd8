import type { AnswerOf } from '../../../api/index.ts'
import {
  alertMetricImagesCreate,
  alertMetricImagesDelete,
  alertMetricImagesList,
  alertNotesList,
  alertsCreateIncident,
  alertsGet,
  alertsUpdate,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Do, Field, Form } from '../../parts/form.tsx'
import { MetricImages } from '../../parts/metric-images.tsx'
import { Avatar, Pages, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { words } from '../../parts/words.ts'
import { referring } from '../../parts/writing/index.ts'
import { Severity } from './alerts.tsx'
import { at } from './places.ts'

type Alert = AnswerOf<typeof alertsGet>

const callOf = (visit: Visit) => ({ id: visit.project.id, alert_iid: numberIn(visit, 'alert') })

function Fact({ label, text }: { label: string; text: string | null | undefined }) {
  if (!text) return <></>
  return (
    <>
      <dt>{label}</dt>
      <dd>{text}</dd>
    </>
  )
}

function Facts({ alert }: { alert: Alert }) {
  return (
    <dl class="members">
      <dt>Started</dt>
      <dd>
        <Time at={alert.started_at} />
      </dd>
      {alert.ended_at && (
        <>
          <dt>Ended</dt>
          <dd>
            <Time at={alert.ended_at} />
          </dd>
        </>
      )}
      <Fact label="Events" text={String(alert.event_count)} />
      <Fact label="Service" text={alert.service} />
      <Fact label="Tool" text={alert.monitoring_tool} />
      <Fact label="Hosts" text={alert.hosts.join(', ')} />
      <Fact label="Environment" text={alert.environment_name} />
      <Fact label="Integration" text={alert.integration?.name} />
    </dl>
  )
}

/** What to do about it, and how it was measured. */
function Help({ alert: { runbook, full_query: query } }: { alert: Alert }) {
  return (
    <>
      {runbook && (
        <section>
          <h2>Runbook</h2>
          <p>
            {/^https?:/i.test(runbook) ? (
              <a href={runbook} rel="noreferrer noopener">
                {runbook}
              </a>
            ) : (
              runbook
            )}
          </p>
        </section>
      )}
      {query && (
        <section>
          <h2>Metric query</h2>
          <pre class="panel query" tabindex={0}>
            {query}
          </pre>
        </section>
      )}
    </>
  )
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function Details({ details }: { details: unknown }) {
  return (
    <details class="more">
      <summary>Payload</summary>
      <dl class="members">
        {Object.entries(details ?? {}).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{shown(value)}</dd>
          </>
        ))}
      </dl>
    </details>
  )
}

/** What happened to the alert, oldest first. */
function Timeline({ visit, notes }: { visit: Visit; notes: AnswerOf<typeof alertNotesList> }) {
  return (
    <section>
      <h2>Timeline</h2>
      <ul class="rows">
        {notes.items.map(({ id, author, body, created_at }) => (
          <li>
            <Avatar name={author.name} />
            <div class="grow prose">
              <b>{author.name}</b> {referring(visit, body, { idPrefix: `user-content-note-${id}-` })}
            </div>
            <span class="meta when">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
      <Pages path={visit.path} page={visit.number} of={notes} />
    </section>
  )
}

const next = { triggered: 'Reopen', acknowledged: 'Acknowledge', resolved: 'Resolve', ignored: 'Ignore' } as const

/** Who works on it, and which incident it opened. */
function Side({ visit, alert, mayChange }: { visit: Visit; alert: Alert; mayChange: boolean }) {
  const [assignee] = alert.assignees
  const { issue } = alert
  const usernames = { visit, operation: alertsUpdate, name: 'assignee_usernames' }
  return (
    <aside>
      <section>
        <h2>Assignee</h2>
        <p>{assignee ? <a href={assignee.web_url}>{assignee.name}</a> : 'No one'}</p>
        {mayChange && visit.me && assignee?.username !== visit.me.username && (
          <Do
            visit={visit}
            performs={alertsUpdate}
            call={{ ...callOf(visit), 'assignee_usernames[]': visit.me.username }}
            kind="quiet"
          >
            Assign to me
          </Do>
        )}
        {mayChange && (
          <details class="more" open={visit.refused?.operation === alertsUpdate.id}>
            <summary>Assign</summary>
            <Form visit={visit} performs={alertsUpdate} call={callOf(visit)}>
              <Field
                {...usernames}
                options={{
                  label: 'User name',
                  value: assignee?.username,
                  rows: 1,
                  hint: 'Left empty, no one is assigned.',
                }}
              />
              <button>Save</button>
            </Form>
          </details>
        )}
      </section>
      <section>
        <h2>Incident</h2>
        {issue ? (
          <p>
            <a href={issue.web_url}>#{issue.iid}</a> {issue.state === 'opened' ? 'open' : 'closed'}
          </p>
        ) : (
          <p>None</p>
        )}
        {!issue && mayChange && (
          <Do visit={visit} performs={alertsCreateIncident} call={callOf(visit)} then=":made">
            Create an incident
          </Do>
        )}
      </section>
    </aside>
  )
}

/** An alert: what it says, what was done about it, and what can be done. */
export const alert = page({
  at: 'project',
  path: 'alert_management/:alert/details',
  performs: [alertsUpdate, alertsCreateIncident, alertMetricImagesCreate, alertMetricImagesDelete],
  async show(visit) {
    const call = callOf(visit)
    // The alert decides how others are refused: its images are not found where it is forbidden.
    const found = await visit.read(alertsGet, call)
    const [notes, images, mayChange] = await Promise.all([
      visit.read(alertNotesList, { ...call, page: visit.number }),
      visit.read(alertMetricImagesList, call),
      visit.may(alertsUpdate, call),
    ])
    const others = Object.entries(next).filter(([status]) => status !== found.status)
    return {
      title: found.title,
      crumbs: [['Alerts', at(visit)]],
      actions:
        mayChange &&
        others.map(([status, label]) => (
          <Do visit={visit} performs={alertsUpdate} call={{ ...call, status }}>
            {label}
          </Do>
        )),
      body: (
        <div class="two">
          <div class="derived">
            <Refusal visit={visit} of={alertsCreateIncident} />
            <p class="by">
              <Severity of={found.severity} />
              <span class="tagged">{words(found.status)}</span>
            </p>
            {found.description && <p class="plain-text">{found.description}</p>}
            <Facts alert={found} />
            <Help alert={found} />
            <MetricImages
              visit={visit}
              images={images}
              create={alertMetricImagesCreate}
              remove={alertMetricImagesDelete}
              call={call}
              named="image_id"
              mayChange={mayChange}
            />
            <Timeline visit={visit} notes={notes} />
            <Details details={found.details} />
          </div>
          <Side visit={visit} alert={found} mayChange={mayChange} />
        </div>
      ),
    }
  },
})
