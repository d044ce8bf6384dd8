import { type Actor, forms, notFound, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { callerLevel, fromProject, type Project, ProjectSummary, projectSummaries } from '../../projects/index.ts'
import { failuresOf, importOf, type TransferFailureRow } from '../../transfer-archives/index.ts'

const FailedRelation = Type.Object(
  {
    id: forms.id,
    created_at: forms.timestamp,
    exception_class: Type.String(),
    exception_message: Type.String(),
    source: Type.String(),
    relation_name: Type.String(),
    line_number: Type.Integer(),
  },
  { title: 'ProjectImportFailure' },
)

/** What is, or was, imported into a project (contract 25, ImportStatus). */
export const ImportStatus = Type.Object(
  {
    ...ProjectSummary.properties,
    import_status: oneOf(['none', 'scheduled', 'started', 'finished', 'failed']),
    import_type: forms.nullableString,
    correlation_id: forms.nullableString,
    failed_relations: Type.Array(FailedRelation),
    import_error: forms.nullableString,
    stats: forms.nullableString,
  },
  { title: 'ProjectImportStatus' },
)

const presentFailure = ({ import_id: _, ...failure }: TransferFailureRow) => ({
  ...failure,
  source: 'process_relation_item!',
})

/** The state of the import of a project; why it has failed only its Maintainers see. @throws ApiError 404 */
export async function importStatus(
  { database: { read } }: Platform,
  project: Project,
  actor: Actor,
): Promise<Static<typeof ImportStatus>> {
  const summary = (await projectSummaries(read, [project.id])).get(project.id)
  if (!summary) throw notFound('Project')
  const row = await importOf(read, { kind: 'project', id: project.id })
  const isMaintainer = callerLevel(actor, fromProject(project)) >= role.maintainer
  const failures = row && isMaintainer ? await failuresOf(read, row.id) : []
  return {
    ...summary,
    import_status: project.import_status,
    import_type: row ? 'gitlab_project' : project.import_url === null ? null : 'git',
    correlation_id: row?.correlation_id ?? null,
    failed_relations: failures.map(presentFailure),
    import_error: isMaintainer ? project.import_error : null,
    stats: null,
  }
}
