declare module '../../platform/platform.ts' {
  interface Events {
    /** Tags or manifests of a container repository have changed. */
    'container_repository.changed': { repositoryId: number }
    /** A container repository is about to be deleted. */
    'container_repository.removed': { repositoryId: number }
  }
}
