import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { severities, statuses } from '../tables.ts'

export const alertPath = { alert_iid: t.id() }

/** Words as a list, or as one text with commas; a wrong one is an error of the whole parameter. */
function wordsOf<const Word extends string>(words: readonly Word[]): Param<Word[], false> {
  const list = t.array(t.oneOf(words), { commaSeparated: true })
  return {
    ...list,
    read(value, name, problems) {
      const found: typeof problems = []
      const read = list.read(value, name, found)
      if (found[0]) problems.push({ ...found[0], name })
      return read
    },
  }
}

/** Filters that the list and the counts share. */
export const countFilter = {
  search: t.string({ description: 'Text in title, description, monitoring tool or service.' }),
  assignee_username: t.string({ description: 'A username, `None` or `Any`.' }),
}
export type CountFilter = ParamValues<typeof countFilter>

/** Parameters of x.alert_severity_counts. */
export const severityCountFilter = { status: wordsOf(statuses), ...countFilter }
export type SeverityCountFilter = ParamValues<typeof severityCountFilter>

/** Parameters of x.alert_list. */
export const alertFilter = {
  status: wordsOf(statuses),
  severity: wordsOf(severities),
  iids: t.array(t.integer()),
  issue_id: t.integer({ description: 'Id of the incident that was opened for the alert.' }),
  ...countFilter,
  environment_name: t.string(),
  monitoring_tool: t.string(),
  created_after: t.datetime(),
  created_before: t.datetime(),
  order_by: t.oneOf(['created_at', 'updated_at', 'started_at', 'ended_at', 'event_count', 'severity', 'status'], {
    description: 'Default `started_at`.',
  }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' }),
}
export type AlertFilter = ParamValues<typeof alertFilter>

/** Parameters of x.alert_update. */
export const alertChanges = {
  status: t.oneOf(statuses),
  assignee_usernames: t.array(t.string(), { description: 'The first is kept; none to unassign.' }),
  assignee_ids: t.array(t.integer(), { description: 'Like `assignee_usernames`, by id.' }),
}
export type AlertChanges = ParamValues<typeof alertChanges>
