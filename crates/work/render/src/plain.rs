//! Plain manifests: every file is a Go template (kubernetes-deploy §1.5).

use crate::cache::{KeyMaker, Made};
use crate::choice::named_files;
use crate::error::RenderError;
use crate::renderer::Rendering;
use crate::store::{self, Raw};
use crate::{files, fill, values};

impl Rendering<'_> {
    pub(crate) async fn plain(&mut self) -> Result<(), RenderError> {
        let raw = self.main_files().await?;
        let texts = self.values(None).await?;
        for file in &raw {
            fill::warn_about_expressions(file, &mut self.out.warnings);
        }
        if self.request.skip_templates {
            self.out.files = fill::unchanged(raw)?;
            return Ok(());
        }
        let values = values::merge(&texts, &self.context())?;
        let parts = raw.iter().flat_map(|file| [&*file.path, &*file.text]);
        let key = KeyMaker::new("plain").parts(parts).part(values.to_string()).key();
        if self.made_before(key) {
            return Ok(());
        }
        let filling = windlass_clock::apart(move || fill::templates(raw, values));
        let files = filling.await.map_err(|_| RenderError::Interrupted)??;
        self.made(key, Made { files, ..Made::default() });
        Ok(())
    }

    async fn main_files(&mut self) -> Result<Vec<Raw>, RenderError> {
        let main = self.main;
        let only = self.request.only.map(|only| named_files(main, only)).transpose()?;
        let pin = self.pins.of(main);
        let fetched = store::fetch(self.outside, main, pin.as_deref(), only.as_deref()).await?;
        self.out.fetched.push(format!("{}: {} files from {}", main.identifier, fetched.files.len(), fetched.from));
        if let Some(commit) = &fetched.commit {
            self.pins.hold(main, commit);
            self.out.commit = Some(commit.clone());
        }
        let files = match &only {
            Some(_) => fetched.files,
            None => files::manifests(fetched.files, &store::roots(&main.store), &main.values_paths),
        };
        if files.is_empty() {
            let message =
                format!("`{}` holds no manifests: no .yaml or .yml files in {}", main.identifier, fetched.from);
            return Err(RenderError::Service(message));
        }
        Ok(files)
    }
}
