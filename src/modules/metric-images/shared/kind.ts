import { computed, forms, object, of, Type } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'

/** What every image has, whatever it is of. */
export type ImageRow = {
  id: number
  project_id: number
  /** The random part of the key of its bytes. */
  secret: string
  filename: string
  size_bytes: number
  sha256: string
  url: string | null
  url_text: string | null
  created_at: string
}

type ImagePlace = Pick<ImageRow, 'project_id' | 'secret'>

/** A kind of images, by what they are of: where their records and their bytes are. */
export type ImageKind<Row extends ImageRow> = {
  /** The folder of the object store. */
  folder: string
  byId(db: Reader, id: number): Promise<Row | null>
  insert(tx: Tx, row: Omit<Row, 'id'>): Promise<Row>
  update(tx: Tx, id: number, changes: Partial<Pick<Row, 'url' | 'url_text'>>): Promise<Row | null>
  /** @returns how many there were */
  remove(tx: Tx, id: number): Promise<number>
  /** Those of these secrets that images have, with the project of each. */
  knownSecrets(db: Reader, secrets: readonly string[]): Promise<ImagePlace[]>
  /** All images in portions of a size, by id. */
  portions(db: Reader, values: Record<never, never>, size: number): AsyncGenerator<Row[]>
}

type InFolder = { folder: string }

/** The keys of all images of a kind are below it. */
export const prefixOfKind = ({ folder }: InFolder): StorageKey => storageKey(folder)

/** All images of a project have keys below this one. */
export const prefixOfProject = ({ folder }: InFolder, projectId: number): StorageKey => storageKey(folder, projectId)

export const keyOfImage = ({ folder }: InFolder, { project_id, secret }: ImagePlace): StorageKey =>
  storageKey(folder, project_id, secret)

/** The JSON object of images (contract 07, MetricImage). @param folder of their addresses */
export const imageObject = (title: string, folder: string) =>
  object(title, of<ImageRow>(), {
    id: forms.id,
    created_at: forms.timestamp,
    filename: Type.String(),
    file_path: computed(
      Type.String({ description: 'Address of the image, below that of the server.' }),
      ({ id, filename }) => `/uploads/-/system/${folder}/file/${id}/${filename}`,
    ),
    url: forms.nullableString,
    url_text: forms.nullableString,
  })
