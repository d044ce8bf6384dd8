import { type Actor, anonymous, dayOf } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Ports } from '../../../platform/index.ts'
import { asDescription, asTitle } from '../../issuables/index.ts'
import { projectById, projectsByIds, settingOf } from '../../projects/index.ts'
import { readableAmong } from '../core/access.ts'
import { addIssue } from '../core/create.ts'
import { holdIssue, issueById, issuesByIds } from '../core/store.ts'
import { changeHeld, stateColumns } from '../core/update.ts'
import { presentIssue, webUrlOf } from '../present/present.ts'

/** Opens an incident for an alert (contract 07, Incident job); null when the project is gone or has no issues. */
export const openIncident: Ports['alerts.open_incident'] = async (platform, tx, incident) => {
  const project = await projectById(tx, incident.projectId)
  if (!project || project.pending_delete || settingOf(project, 'issues_access_level') === 'disabled') return null
  const { authorId, severity } = incident
  const origin = { userId: authorId, at: now(platform.clock) }
  const title = asTitle(incident.title.trim() || 'Alert')
  const description = asDescription(incident.description)
  const draft = { title, description, severity, issue_type: 'incident' as const, authorId }
  const { id, iid } = await addIssue(platform, tx, project, draft, { actor: anonymous, origin })
  return { id, iid }
}

/** Closes the incident of an alert, unless it is closed or gone. */
export const closeIncident: Ports['alerts.close_incident'] = async (platform, tx, issueId, userId) => {
  const row = await holdIssue(tx, issueId)
  const project = row && (await projectById(tx, row.project_id))
  if (!row || !project || row.state === 'closed') return
  const origin = { userId, at: now(platform.clock) }
  const change = { columns: stateColumns(row, 'closed', origin) }
  await changeHeld(platform, tx, { row, project }, change, { actor: anonymous, origin })
}

/** Facts about incidents, for the alerts that are linked to them. */
export const incidentFacts: Ports['alerts.incidents'] = async ({ database: { read: db }, externalUrl }, ids) => {
  const rows = await issuesByIds(db, ids)
  const projects = await projectsByIds(
    db,
    rows.map(({ project_id }) => project_id),
  )
  const paths = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  return new Map(
    rows.map((row) => {
      const { id, iid, state } = row
      return [id, { id, iid, state, web_url: webUrlOf(externalUrl, paths.get(row.project_id) ?? '', row) }]
    }),
  )
}

/** The incident of an alert as the API presents it; null when the caller cannot read it. */
export const presentIncident: Ports['alerts.present_incident'] = async (platform, issueId, actor: Actor) => {
  const row = await issueById(platform.database.read, issueId)
  const [found] = row ? await readableAmong(platform, [row], actor, dayOf(platform.clock.now())) : []
  return found ? presentIssue(platform, found.row, actor) : null
}
