-- Small pictures of SKUs for the people who edit the catalogue. Players get the assets of the document, not these.
create table sku_pictures (
  game_id integer not null references games (id),
  sku_id text not null,
  media_type text not null,
  content bytea not null,
  updated_at timestamptz not null,
  primary key (game_id, sku_id)
);
comment on table sku_pictures is
  'Thumbnails that the console shows beside SKUs, by SKU id, whether or not the catalogue has the SKU at present.';
