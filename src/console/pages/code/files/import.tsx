import type { ProjectObject } from '../../../operations.ts'
import { Icon } from '../../../parts/parts.tsx'

/** Whether the contents of a project are still being copied: those of a fork, an import or an export file. */
export const isArriving = ({ import_status: status }: ProjectObject): boolean =>
  status === 'scheduled' || status === 'started'

/** How the contents of a project arrive, until they are there. */
export function ImportState({ project }: { project: ProjectObject }) {
  const { import_status: status, import_error: error } = project
  if (isArriving(project)) {
    return (
      <p class="note-line" role="status">
        <Icon name="running" />{' '}
        {status === 'scheduled' ? 'The contents will be copied.' : 'The contents are being copied.'}
      </p>
    )
  }
  if (status !== 'failed') return <></>
  return (
    <p class="problem" role="status">
      The contents could not be copied. {error}
    </p>
  )
}
