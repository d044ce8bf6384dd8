import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Git LFS objects, the projects that use them, and file locks (contract 22, "LFS"). An object is stored once for all
 * projects and cannot be deleted while a project uses it. A path may exceed the size limit of an index entry, so the unique
 * index is over its digest.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table lfs_objects (
      id ${id},
      oid text not null,
      size_bytes bigint not null,
      storage_key text not null,
      orphaned_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index lfs_objects_oid_unique on lfs_objects (oid)`,
    sql`create unique index lfs_objects_storage_key_unique on lfs_objects (storage_key)`,
    sql`create index lfs_objects_orphaned on lfs_objects (orphaned_at, id) where orphaned_at is not null`,
    sql`create table lfs_objects_projects (
      project_id bigint not null references projects (id) on delete cascade,
      object_id bigint not null references lfs_objects (id),
      primary key (project_id, object_id)
    )`,
    sql`create index lfs_objects_projects_object on lfs_objects_projects (object_id)`,
    sql`create table lfs_file_locks (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      path text not null,
      path_digest text not null,
      created_at timestamptz not null
    )`,
    sql`create unique index lfs_file_locks_path_unique on lfs_file_locks (project_id, path_digest)`,
    sql`create index lfs_file_locks_order on lfs_file_locks (project_id, id)`,
    sql`create index lfs_file_locks_user on lfs_file_locks (user_id)`,
  ]
}
