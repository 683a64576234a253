// What a panel gives away: its picture, the files of its plane, a link to it.
(() => {
  "use strict";

  const { extensions } = window.studio;

  extensions.push((panel) => {
    const menu = panel.part("exports");
    window.studio.connectMenu(panel.part("export"), menu);
    menu.addEventListener("click", ({ target: item }) => {
      if (item.dataset.file) pointAtPlane(item, panel);
      if (item.dataset.picture) panel.savePicture(item.dataset.picture).catch(console.warn);
      if (item.dataset.link) window.studio.copyLink(panel).catch(console.warn);
    });
  });

  // A file is of the plane on screen.
  function pointAtPlane(link, panel) {
    if (!panel.plane) return;
    const look = panel.query({ gamma: null, toward: null, from: null });
    link.search = `?plane=${panel.plane.sequence}&${look}`;
  }
})();
