import { imageClient } from '../images/client.ts'
import { type ImageLoad, pushImage, readTag } from '../images/workload.ts'
import { anyHead } from '../ledger.ts'
import { type Load, type Piece, readEach } from './load.ts'

const repository = 'root/campaign'
const tags = 5

function imageLoad({ url, token, ledger, random, isOver }: Load): ImageLoad {
  const authorization = `Basic ${Buffer.from(`root:${token}`).toString('base64')}`
  const client = imageClient(url(), authorization)
  return { client, ledger, random, isOver, repositories: [repository], workers: 1, layers: 40, deletes: false }
}

/** Pushes images, of which tags move to the newest. */
export const images: Piece = {
  title: 'image',
  kinds: ['image'],
  clients: 1,
  async step(load, _client, step) {
    const tag = `t${Math.floor(load.random() * tags)}`
    load.ledger.begin(`image:${tag}`, anyHead)
    const { digest } = await pushImage(imageLoad(load), repository, tag, step)
    load.ledger.acknowledge(`image:${tag}`, digest)
  },
  read(load, names) {
    const images = imageLoad(load)
    return readEach(names, (name) => readTag(images, repository, name.split(':')[1] ?? ''))
  },
}
