import type { Events, Ports, Reaction } from '../../../platform/index.ts'
import { copyLinks, sizesOfProjects } from './store.ts'

/** Gives a fork the LFS objects of its source. */
export const copyLfsObjects: Reaction<Events['project.forked']> = (_platform, tx, { projectId, sourceId }) =>
  copyLinks(tx, sourceId, projectId)

/** Bytes of the LFS objects of projects. */
export const lfsSizes: Ports['projects.lfs_sizes'] = ({ database }, projectIds) =>
  sizesOfProjects(database.read, projectIds)
