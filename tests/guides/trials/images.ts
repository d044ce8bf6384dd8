import { run, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/images.md'
const server = {}

/** Images are kept in the folder of the reader, without the kernel's help. */
const storage = sh(
  'export CONTAINERS_STORAGE_CONF="$PWD/storage.conf" REGISTRY_AUTH_FILE="$PWD/auth.json"',
  'echo "{}" > auth.json',
  `printf '[storage]\\ndriver = "vfs"\\nrunroot = "%s/run"\\ngraphroot = "%s/graph"\\n' "$PWD" "$PWD" > storage.conf`,
  'curl --output /dev/null --header "PRIVATE-TOKEN: $(cat data/root-token)" --data name=demo "http://$FENNEC_LISTEN/api/v4/projects"',
)

/** An image of one file, named as the guide names it. */
const image = sh(
  'container="$(buildah from scratch)"',
  'buildah copy --quiet "$container" storage.conf /storage.conf',
  'buildah commit --quiet "$container" "$FENNEC_LISTEN/root/demo/alpine:1"',
)

const tagOf = (name: string, tag: string) =>
  sh(
    `curl --header "PRIVATE-TOKEN: $(cat data/root-token)" "http://$FENNEC_LISTEN/api/v4/projects/root%2Fdemo/registry/repositories?tags=true" | grep '"path":"root/demo/${name}:${tag}"'`,
  )

export const images: readonly Trial[] = [
  {
    document,
    name: 'docker',
    tools: ['docker'],
    server,
    instead: { 'docker tag alpine': 'docker tag hello-world' },
    steps: [storage, sh('docker pull hello-world'), run('docker'), tagOf('alpine', '1')],
  },
  {
    document,
    name: 'podman and buildah',
    tools: ['podman', 'buildah'],
    server,
    steps: [storage, image, run('podman and buildah'), tagOf('alpine', '1')],
  },
  {
    document,
    name: 'skopeo',
    tools: ['skopeo', 'buildah'],
    server,
    instead: { 'docker://docker.io/library/alpine:3': 'oci:image:1' },
    steps: [
      storage,
      image,
      sh('buildah push --quiet "$FENNEC_LISTEN/root/demo/alpine:1" oci:image:1'),
      run('skopeo'),
      tagOf('alpine', '3'),
    ],
  },
  {
    document,
    name: 'helm',
    tools: ['helm'],
    server,
    steps: [
      storage,
      sh(
        'helm create chart && helm package chart --version 1.2.3 && mkdir pushed && mv chart-1.2.3.tgz pushed && cd pushed',
      ),
      sh('mkdir data && cp ../data/root-token data/'),
      run('helm'),
      sh('cd ..'),
      tagOf('chart', '1.2.3'),
    ],
  },
]
